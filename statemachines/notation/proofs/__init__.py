"""The prover that shows at load that an expression cannot fail (goes, if issue 17 point 3 decides
so).
"""
