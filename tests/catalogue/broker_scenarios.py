"""What Kafka's code and its unit tests say of connectors and tasks of Connect, of brokers, active controllers and connections, as calls of the specs.

The rows are those of `group_scenarios`; `given` may have values of variables behind the state: what is not said there is False, or the first of
its type. Names of unit tests are those of WorkerConnectorTest and WorkerTaskTest.
"""

from __future__ import annotations

CONNECTOR, TASK, RUNTIME, REGISTRATION, NETWORK, ACTIVE, PARTITION, PRODUCER_STATE = (
    "kafka/Connector",
    "kafka/ConnectorTask",
    "kafka/CoordinatorRuntime",
    "kafka/BrokerRegistration",
    "kafka/NetworkClient",
    "kafka/QuorumController",
    "kafka/Partition",
    "kafka/ProducerStateEntry",
)

QUORUM, EPOCH, SHARE, NEWER, STREAMS = (
    "kafka/QuorumState",
    "kafka/QuorumEpoch",
    "kafka/ShareGroup",
    "kafka/ModernConsumerGroup",
    "kafka/StreamsGroup",
)
FETCHER, LOG_DIR, PROCESS, SEARCH = (
    "kafka/Fetcher",
    "kafka/LogDir",
    "kafka/KafkaProcess",
    "kafka/FindCoordinator",
)

TEXTS = {
    QUORUM: """
a process begins before it has read the file | 3.5.2 3.9.2 4.3.1 | new me=Node1 storedEpoch=5 storedVote=None storedLeader=None | | Uninitialized with epoch=5 voted=None leader=None
testInitializeAsFollower | 3.5.2 3.9.2 4.3.1 | Uninitialized me=Node1 storedEpoch=5 storedVote=None storedLeader=Node2 | to_Follower newEpoch=5 of=Node2 | Follower with epoch=5 leader=Node2
testInitializeAsUnattachedWhenMissingEndpoints | 4.3.1 | Uninitialized me=Node1 storedEpoch=5 storedVote=None storedLeader=Node2 | to_Unattached newEpoch=5 vote=None | Unattached with epoch=5 leader=Node2
testInitializeAsUnattached | 3.5.2 | Uninitialized me=Node1 storedEpoch=5 storedVote=None storedLeader=None | to_Unattached newEpoch=6 | Unattached with epoch=6 voted=None leader=None
testInitializeAsUnattached | 3.9.2 4.3.1 | Uninitialized me=Node1 storedEpoch=5 storedVote=None storedLeader=None | to_Unattached newEpoch=6 vote=None | Unattached with epoch=6 voted=None leader=None
testInitializeAsVoted | 3.5.2 | Uninitialized me=Node1 storedEpoch=5 storedVote=Node2 storedLeader=None | to_Voted newEpoch=5 vote=Node2 | Voted with voted=Node2
testInitializeAsVoted | 3.9.2 4.3.1 | Uninitialized me=Node1 storedEpoch=5 storedVote=Node2 storedLeader=None | to_Unattached newEpoch=5 vote=Node2 | Unattached with voted=Node2
testInitializeAsResignedCandidate | 3.5.2 3.9.2 4.3.1 | Uninitialized me=Node1 storedEpoch=5 storedVote=Node1 storedLeader=None | to_Candidate newEpoch=5 | Candidate with epoch=5 voted=Node1
testInitializeAsResignedLeader | 3.5.2 3.9.2 4.3.1 | Uninitialized me=Node1 storedEpoch=5 storedVote=None storedLeader=Node1 | to_Resigned newEpoch=5 | Resigned with leader=Node1
testUnattachedToVotedSameEpoch | 3.5.2 | Unattached me=Node1 storedEpoch=5 storedVote=None storedLeader=None | to_Voted newEpoch=5 vote=Node2 | Voted with epoch=5 voted=Node2
testUnattachedVotedSameEpoch | 3.9.2 4.3.1 | Unattached me=Node1 storedEpoch=5 storedVote=None storedLeader=None | to_Unattached newEpoch=5 vote=Node2 | Unattached with epoch=5 voted=Node2
testUnattachedVotedHigherEpoch | 3.9.2 | Unattached me=Node1 storedEpoch=5 storedVote=None storedLeader=None | to_Unattached newEpoch=8 vote=Node2 | Unattached with epoch=8 voted=Node2
testUnattachedToUnattachedVotedHigherEpoch | 4.3.1 | Unattached me=Node1 storedEpoch=5 storedVote=None storedLeader=None | to_Unattached newEpoch=8 vote=Node2 | Unattached ! IS.
testCannotFollowOrVoteForSelf | 3.9.2 4.3.1 | Unattached me=Node1 storedEpoch=5 storedVote=None storedLeader=None | to_Unattached newEpoch=5 vote=Node1 | Unattached ! IS.
testCannotFollowOrVoteForSelf | 3.5.2 3.9.2 4.3.1 | Unattached me=Node1 storedEpoch=5 storedVote=None storedLeader=None | to_Follower newEpoch=5 of=Node1 | Unattached ! IS.
testUnattachedToLeaderOrResigned | 3.5.2 3.9.2 4.3.1 | Unattached me=Node1 storedEpoch=5 storedVote=None storedLeader=None | to_Leader newEpoch=5 | Unattached ! IS.
testUnattachedToLeaderOrResigned | 3.5.2 3.9.2 4.3.1 | Unattached me=Node1 storedEpoch=5 storedVote=None storedLeader=None | to_Resigned newEpoch=5 | Unattached ! IS.
testUnattachedToCandidate | 3.5.2 3.9.2 | Unattached me=Node1 storedEpoch=5 storedVote=None storedLeader=None | to_Candidate newEpoch=6 | Candidate with epoch=6 voted=Node1
testUnattachedToCandidate | 4.3.1 | Unattached me=Node1 storedEpoch=5 storedVote=None storedLeader=None | to_Candidate newEpoch=6 | Unattached ! IS.
testUnattachedToFollowerSameEpoch | 3.5.2 3.9.2 4.3.1 | Unattached me=Node1 storedEpoch=5 storedVote=None storedLeader=None | to_Follower newEpoch=5 of=Node2 | Follower with epoch=5 leader=Node2
testUnattachedToProspective | 4.3.1 | Unattached me=Node1 storedEpoch=5 storedVote=None storedLeader=None | to_Prospective newEpoch=5 vote=None | Prospective with epoch=5 voted=None
prospectiveAddVotedState | 4.3.1 | Prospective me=Node1 storedEpoch=5 storedVote=None storedLeader=None | to_Prospective newEpoch=5 vote=Node2 | Prospective with voted=Node2
testProspectiveToUnattachedInSameEpoch | 4.3.1 | Prospective me=Node1 storedEpoch=5 storedVote=None storedLeader=None voted=Node2 | to_Unattached newEpoch=5 vote=Node2 | Unattached with voted=Node2
testProspectiveToFollowerSameEpoch | 4.3.1 | Prospective me=Node1 storedEpoch=5 storedVote=None storedLeader=None | to_Follower newEpoch=5 of=Node2 | Follower with leader=Node2
testProspectiveToCandidate | 4.3.1 | Prospective me=Node1 storedEpoch=5 storedVote=None storedLeader=None | to_Candidate newEpoch=6 | Candidate with epoch=6 voted=Node1
testProspectiveToLeaderOrResigned | 4.3.1 | Prospective me=Node1 storedEpoch=5 storedVote=None storedLeader=None | to_Leader newEpoch=5 | Prospective ! IS.
testCandidateToLeader | 3.5.2 3.9.2 4.3.1 | Candidate me=Node1 storedEpoch=5 storedVote=None storedLeader=None voted=Node1 | to_Leader newEpoch=5 | Leader with leader=Node1
testCandidateToResigned | 3.5.2 3.9.2 4.3.1 | Candidate me=Node1 storedEpoch=5 storedVote=None storedLeader=None voted=Node1 | to_Resigned newEpoch=5 | Candidate ! IS.
testLeaderToResigned | 3.5.2 3.9.2 4.3.1 | Leader me=Node1 storedEpoch=5 storedVote=None storedLeader=None voted=Node1 leader=Node1 | to_Resigned newEpoch=5 | Resigned with leader=Node1
testLeaderToLeader | 3.5.2 3.9.2 4.3.1 | Leader me=Node1 storedEpoch=5 storedVote=None storedLeader=None voted=Node1 leader=Node1 | to_Leader newEpoch=5 | Leader ! IS.
testLeaderToFollower | 3.5.2 3.9.2 4.3.1 | Leader me=Node1 storedEpoch=5 storedVote=None storedLeader=None voted=Node1 leader=Node1 | to_Follower newEpoch=6 of=Node2 | Follower with epoch=6 voted=None leader=Node2
testLeaderToProspective | 4.3.1 | Leader me=Node1 storedEpoch=5 storedVote=None storedLeader=None voted=Node1 leader=Node1 | to_Prospective newEpoch=5 vote=Node1 | Leader ! IS.
testResignedToUnattachedInHigherEpoch | 4.3.1 | Resigned me=Node1 storedEpoch=5 storedVote=None storedLeader=None voted=Node1 leader=Node1 | to_Unattached newEpoch=6 vote=None | Unattached with epoch=6 voted=None leader=None
""",
    EPOCH: """
a majority has voted | 2.8.0 4.3.1 | | to_Led who=Node1 | Led with leader=Node1
others say so too | 2.8.0 4.3.1 | Led leader=Node1 | to_Led who=Node1 | Led with leader=Node1
nobody else leads it | 2.8.0 4.3.1 | Led leader=Node1 | to_Led who=Node2 | Led refused with leader=Node1
it stays led | 2.8.0 4.3.1 | Led leader=Node1 | to_Open | Led refused
""",
    SHARE: """
nobody asks for a state | 3.9.0 4.3.1 | | to_DEAD | EMPTY refused
members come and go | 3.9.0 4.3.1 | | updateMember member=m1; updateMember member=m2; removeMember member=m1 | STABLE with members={m2}
members come and go | 3.9.0 4.3.1 | | updateMember member=m1; removeMember member=m1 | EMPTY with members={}
""",
    NEWER: """
nobody asks for a state | 3.8.0 4.3.1 | | to_DEAD | EMPTY refused
who has what it is to have makes it stable | 3.8.0 4.3.1 | | updateMember member=m1 held={memberState:STABLE,memberEpoch:0} | STABLE
who has what it is to have makes it stable | 3.8.0 4.3.1 | | updateMember member=m1 held={memberState:STABLE,memberEpoch:0}; updateMember member=m1 held={memberState:STABLE,memberEpoch:0} | STABLE
a later epoch is to be assigned | 3.8.0 4.3.1 | | updateMember member=m1 held={memberState:STABLE,memberEpoch:0}; setGroupEpoch epoch=1 | ASSIGNING with groupEpoch=1
a group without members has epochs | 3.8.0 4.3.1 | | setGroupEpoch epoch=1 | EMPTY with groupEpoch=1
a group without members has epochs | 3.8.0 4.3.1 | | setGroupEpoch epoch=1; setTargetAssignmentEpoch epoch=1 | EMPTY with targetAssignmentEpoch=1
what a member says while it is assigned counts | 3.8.0 4.3.1 | | setGroupEpoch epoch=1; updateMember member=m1 held={memberState:STABLE,memberEpoch:0}; updateMember member=m1 held={memberState:STABLE,memberEpoch:1}; setTargetAssignmentEpoch epoch=1 | STABLE
who left while it was assigned is not waited for | 3.8.0 4.3.1 | | setGroupEpoch epoch=1; updateMember member=m1 held={memberState:STABLE,memberEpoch:0}; updateMember member=m2 held={memberState:STABLE,memberEpoch:1}; removeMember member=m1; setTargetAssignmentEpoch epoch=1 | STABLE
who left while others reconcile is not waited for | 3.8.0 4.3.1 | | updateMember member=m1 held={memberState:UNREVOKED_PARTITIONS,memberEpoch:0}; updateMember member=m2 held={memberState:UNREVOKED_PARTITIONS,memberEpoch:0}; removeMember member=m1; updateMember member=m2 held={memberState:STABLE,memberEpoch:0} | STABLE
the last member leaves it empty | 3.8.0 4.3.1 | | updateMember member=m1 held={memberState:STABLE,memberEpoch:0}; updateMember member=m2 held={memberState:STABLE,memberEpoch:0}; removeMember member=m1; removeMember member=m2 | EMPTY
""",
    STREAMS: """
nobody asks for a state | 4.1.0 4.3.1 | | to_DEAD | EMPTY refused
who has what it is to have makes it stable | 4.1.0 4.3.1 | | setTopology ready=True; updateMember member=m1 held={memberState:STABLE,memberEpoch:0} | STABLE
who has what it is to have makes it stable | 4.1.0 4.3.1 | | setTopology ready=True; updateMember member=m1 held={memberState:STABLE,memberEpoch:0}; updateMember member=m1 held={memberState:STABLE,memberEpoch:0} | STABLE
a later epoch is to be assigned | 4.1.0 4.3.1 | | setTopology ready=True; updateMember member=m1 held={memberState:STABLE,memberEpoch:0}; setGroupEpoch epoch=1 | ASSIGNING with groupEpoch=1
a group without members has epochs | 4.1.0 4.3.1 | | setTopology ready=True; setGroupEpoch epoch=1 | EMPTY with groupEpoch=1
a group without members has epochs | 4.1.0 4.3.1 | | setTopology ready=True; setGroupEpoch epoch=1; setTargetAssignmentEpoch epoch=1 | EMPTY with targetAssignmentEpoch=1
what a member says while it is assigned counts | 4.1.0 4.3.1 | | setTopology ready=True; setGroupEpoch epoch=1; updateMember member=m1 held={memberState:STABLE,memberEpoch:0}; updateMember member=m1 held={memberState:STABLE,memberEpoch:1}; setTargetAssignmentEpoch epoch=1 | STABLE
who left while it was assigned is not waited for | 4.1.0 4.3.1 | | setTopology ready=True; setGroupEpoch epoch=1; updateMember member=m1 held={memberState:STABLE,memberEpoch:0}; updateMember member=m2 held={memberState:STABLE,memberEpoch:1}; removeMember member=m1; setTargetAssignmentEpoch epoch=1 | STABLE
who left while others reconcile is not waited for | 4.1.0 4.3.1 | | setTopology ready=True; updateMember member=m1 held={memberState:UNREVOKED_TASKS,memberEpoch:0}; updateMember member=m2 held={memberState:UNREVOKED_TASKS,memberEpoch:0}; removeMember member=m1; updateMember member=m2 held={memberState:STABLE,memberEpoch:0} | STABLE
the last member leaves it empty | 4.1.0 4.3.1 | | setTopology ready=True; updateMember member=m1 held={memberState:STABLE,memberEpoch:0}; updateMember member=m2 held={memberState:STABLE,memberEpoch:0}; removeMember member=m1; removeMember member=m2 | EMPTY
a new one has no topology | 4.1.0 4.3.1 | | | EMPTY with topologyIsReady=False
topologies come and go without members | 4.1.0 4.3.1 | | setTopology ready=True | EMPTY with topologyIsReady=True
topologies come and go without members | 4.1.0 4.3.1 | | setTopology ready=False | EMPTY with topologyIsReady=False
what a member says before the topology is ready counts | 4.1.0 4.3.1 | | updateMember member=m1 held={memberState:UNREVOKED_TASKS,memberEpoch:0}; updateMember member=m1 held={memberState:STABLE,memberEpoch:0}; setTopology ready=True | STABLE
who left before the topology was ready is not waited for | 4.1.0 4.3.1 | | updateMember member=m1 held={memberState:UNREVOKED_TASKS,memberEpoch:0}; updateMember member=m2 held={memberState:STABLE,memberEpoch:0}; removeMember member=m1; setTopology ready=True | STABLE
""",
    FETCHER: """
it fetches from its start on | 3.0.0 4.3.1 | | | RUNNING
it is asked to stop, and stops | 3.0.0 4.3.1 | | initiateShutdown | SHUTTING_DOWN
it is asked to stop, and stops | 3.0.0 4.3.1 | | initiateShutdown; ends | STOPPED
who was asked to stop is not asked again | 3.0.0 4.3.1 | SHUTTING_DOWN | initiateShutdown | SHUTTING_DOWN ignored
who was asked to stop is not asked again | 3.0.0 4.3.1 | STOPPED | initiateShutdown | STOPPED ignored
who was asked to stop is not asked again | 3.0.0 4.3.1 | DEAD | initiateShutdown | DEAD ignored
an error ends it | 3.0.0 4.3.1 | | fails | DEAD
an error ends it, and its last word comes after that | 3.0.0 4.3.1 | | fails; ends | DEAD
what has ended does not fail | 3.0.0 4.3.1 | STOPPED | fails | STOPPED refused
what has ended does not fail | 3.0.0 4.3.1 | DEAD | fails | DEAD refused
nothing ends twice, or unasked | 3.0.0 4.3.1 | STOPPED | ends | STOPPED refused
nothing ends twice, or unasked | 3.0.0 4.3.1 | | ends | RUNNING refused
""",
    LOG_DIR: """
an error takes it out of service | 3.0.0 4.3.1 | | to_OFFLINE | OFFLINE
the first error counts | 3.0.0 4.3.1 | OFFLINE | to_OFFLINE | OFFLINE ignored
nothing brings it back but a restart | 3.0.0 4.3.1 | OFFLINE | to_ONLINE | OFFLINE refused
nothing brings it back but a restart | 3.0.0 4.3.1 | | to_ONLINE | ONLINE refused
""",
    PROCESS: """
of a node that is both the controller ends after the broker | 2.8.0 4.3.1 | SHUTDOWN | to_SHUTDOWN | SHUTDOWN
it is asked twice, as a broker and as a controller | 2.8.0 4.3.1 | SHUTTING_DOWN | to_SHUTTING_DOWN | SHUTTING_DOWN ignored
nothing has shut down that was not asked to | 2.8.0 4.3.1 | | to_SHUTDOWN | STARTING refused
""",
    SEARCH: """
a client begins without a coordinator | 2.8.0 4.3.1 | | | UNKNOWN
it is found again, or at another broker | 2.8.0 4.3.1 | KNOWN | to_KNOWN | KNOWN
who has lost it loses nothing more | 2.8.0 4.3.1 | UNKNOWN | to_UNKNOWN | UNKNOWN ignored
""",
    PRODUCER_STATE: """
who has written nothing has nothing open | 0.11.0.0 3.5.2 3.6.0 4.3.1 | | | NO_TRANSACTION
the first record opens it | 0.11.0.0 3.5.2 | | append current=True | ONGOING = NONE
the first record opens it | 3.6.0 4.3.1 | | append current=True verified=True | ONGOING = NONE
an older epoch is told so, and opens nothing | 0.11.0.0 3.5.2 | | append current=False | NO_TRANSACTION = INVALID_PRODUCER_EPOCH
an older epoch is told so, and opens nothing | 3.6.0 4.3.1 | | append current=False verified=False | NO_TRANSACTION = INVALID_PRODUCER_EPOCH
an older epoch is told so, and opens nothing | 3.6.0 4.3.1 | | append current=False verified=True | NO_TRANSACTION = INVALID_PRODUCER_EPOCH
what the coordinator does not know of opens nothing | 3.6.0 4.3.1 | | append current=True verified=False | NO_TRANSACTION = INVALID_TXN_STATE
of what is open the coordinator is not asked once more | 3.6.0 4.3.1 | ONGOING | append current=True verified=False | ONGOING = NONE
an older epoch ends nothing that is open | 0.11.0.0 3.5.2 | ONGOING | append current=False | ONGOING = INVALID_PRODUCER_EPOCH
an older epoch ends nothing that is open | 3.6.0 4.3.1 | ONGOING | append current=False verified=True | ONGOING = INVALID_PRODUCER_EPOCH
a marker ends it | 0.11.0.0 3.5.2 3.6.0 4.3.1 | ONGOING | writeTxnMarker | NO_TRANSACTION
a marker is written where nothing is open | 0.11.0.0 3.5.2 3.6.0 4.3.1 | | writeTxnMarker | NO_TRANSACTION
a late record opens it once more | 0.11.0.0 3.5.2 | ONGOING | writeTxnMarker; append current=True | ONGOING = NONE
a late record is stopped where the coordinator is asked | 3.6.0 4.3.1 | ONGOING | writeTxnMarker; append current=True verified=False | NO_TRANSACTION = INVALID_TXN_STATE
what is opened is open | 0.11.0.0 4.3.1 | | to_ONGOING | ONGOING
what is completed is open no more | 0.11.0.0 4.3.1 | ONGOING | to_NO_TRANSACTION | NO_TRANSACTION
nothing is completed that is not open | 0.11.0.0 4.3.1 | | to_NO_TRANSACTION | NO_TRANSACTION refused
""",
    PARTITION: """
a partition begins with a leader | 3.0.0 4.3.1 | Online most=3 | | Online with leader=0 isr={0} leaderEpoch=0 recovering=False lastLeader=0
a leader is elected | 3.0.0 4.3.1 | Online most=3 | changeLeader elected=2 inSync={1,2} | Online with leader=2 isr={1,2} leaderEpoch=1 recovering=False
broker 0 may lead, too | 3.0.0 4.3.1 | Online most=3 | changeLeader elected=0 inSync={0} | Online with leader=0 isr={0} leaderEpoch=1 recovering=False
a leader is lost | 3.0.0 4.3.1 | Online most=3 | changeLeader elected=-1 inSync={} | Offline with leader=-1 isr={} leaderEpoch=1 recovering=False
a leader is lost and its replica stays in sync | 3.0.0 4.3.1 | Online most=3 leader=1 isr={1} | changeLeader elected=-1 inSync={1} | Offline with leader=-1 isr={1} leaderEpoch=1
nothing that was lost is forgotten by a second loss | 3.0.0 4.3.1 | Offline most=3 leader=-1 isr={1,2} | changeLeader elected=-1 inSync={1} | Offline with leader=-1 isr={1} leaderEpoch=1 recovering=False
a leader is back | 3.0.0 4.3.1 | Offline most=3 leader=-1 isr={} leaderEpoch=1 | changeLeader elected=1 inSync={1} | Online with leader=1 isr={1} leaderEpoch=2 recovering=False
an unclean election has to recover | 3.0.0 4.3.1 | Offline most=3 leader=-1 isr={} leaderEpoch=1 | changeLeaderRecovering elected=1 inSync={1} | Online with leader=1 isr={1} leaderEpoch=2 recovering=True
broker 0 may be elected uncleanly, too | 3.0.0 4.3.1 | Offline most=3 leader=-1 isr={} leaderEpoch=1 | changeLeaderRecovering elected=0 inSync={0} | Online with leader=0 isr={0} leaderEpoch=2 recovering=True
it may be lost while it recovers | 3.0.0 4.3.1 | Online most=3 leader=1 isr={1} recovering=True | changeLeaderRecovering elected=-1 inSync={} | Offline with leader=-1 isr={} leaderEpoch=1 recovering=True
it may be lost while it recovers, and stays in sync | 3.0.0 4.3.1 | Online most=3 leader=1 isr={1} | changeLeaderRecovering elected=-1 inSync={1} | Offline with leader=-1 isr={1} leaderEpoch=1 recovering=True
the election after it is a clean one | 3.0.0 4.3.1 | Offline most=3 leader=-1 isr={1} recovering=True | changeLeader elected=1 inSync={1} | Online with leader=1 recovering=False
the loss after it is a clean one | 3.0.0 4.3.1 | Online most=3 leader=1 isr={1} recovering=True | changeLeader elected=-1 inSync={} | Offline with leader=-1 isr={} recovering=False
a replica falls out of sync | 3.0.0 4.3.1 | Online most=3 leader=1 isr={1,2} | changeIsr inSync={1} | Online with leader=1 isr={1} leaderEpoch=0 recovering=False
without a leader a replica may come, too | 3.0.0 4.3.1 | Offline most=3 leader=-1 isr={} | changeIsr inSync={2} | Offline with leader=-1 isr={2} leaderEpoch=0
it has recovered | 3.0.0 4.3.1 | Online most=3 leader=1 isr={1} recovering=True | changeIsr inSync={1} | Online with leader=1 isr={1} recovering=False
a replica comes while it recovers | 3.0.0 4.3.1 | Online most=3 leader=1 isr={1} recovering=True | changeIsrRecovering inSync={1,2} | Online with isr={1,2} recovering=True
without a leader a replica may come while it recovers | 3.0.0 4.3.1 | Offline most=3 leader=-1 isr={} recovering=True | changeIsrRecovering inSync={2} | Offline with isr={2} recovering=True
nothing recovers that was not elected uncleanly | 3.0.0 4.3.1 | Online most=3 | changeIsrRecovering inSync={0} | Online refused
no leader is out of sync | 3.0.0 4.3.1 | Online most=3 | changeLeader elected=1 inSync={2} | Online may not be asked: changeLeader elected=1 inSync={2}
its topic is removed | 3.0.0 4.3.1 | Online most=3 | removeTopic | Deleted
its topic is removed while nobody leads it | 3.0.0 4.3.1 | Offline most=3 leader=-1 | removeTopic | Deleted
""",
    CONNECTOR: """
nothing is known of a connector that was never made | 2.8.2 4.3.1 | | | DESTROYED
testStartupAndShutdown | 2.8.2 3.9.2 4.3.1 | DESTROYED created=True | created; taskConfigs; shutdown | UNASSIGNED
testStartupAndShutdown | 2.8.2 3.0.0 4.3.1 | DESTROYED created=True | taskConfigs | RUNNING
testStartupAndPause | 2.8.2 3.9.2 4.3.1 | RUNNING | pause | PAUSED
testStartupAndPause | 2.8.2 3.9.2 4.3.1 | RUNNING | pause; shutdown | UNASSIGNED
testStartupAndStop | 3.5.0 3.9.2 4.3.1 | RUNNING | stop | STOPPED
testStartupAndStop | 3.5.0 3.9.2 4.3.1 | RUNNING | stop; shutdown | UNASSIGNED
testOnResume | 2.8.2 3.9.2 4.3.1 | PAUSED resumed=True | taskConfigs | RUNNING
testOnResume | 2.8.2 3.9.2 4.3.1 | PAUSED | taskConfigs | PAUSED ignored
testStartupPaused | 2.8.2 3.9.2 4.3.1 | DESTROYED waits=True wish=PAUSED | created | PAUSED
testStartupPaused | 2.8.2 3.9.2 4.3.1 | UNASSIGNED waits=True wish=PAUSED | created | PAUSED
testStartupStopped | 3.5.0 3.9.2 4.3.1 | DESTROYED waits=True wish=STOPPED | created | STOPPED
testStartupStopped | 3.5.0 3.9.2 4.3.1 | UNASSIGNED waits=True wish=STOPPED | created | STOPPED
testInitializeFailure | 2.8.2 3.9.2 4.3.1 | DESTROYED | fail | FAILED
testStartupFailure | 2.8.2 3.9.2 4.3.1 | UNASSIGNED | fail | FAILED
testStartupFailure | 2.8.2 3.9.2 4.3.1 | UNASSIGNED | fail; shutdown | UNASSIGNED
testFailureIsFinalState | 2.8.2 3.9.2 4.3.1 | FAILED broken=True created=True | taskConfigs | FAILED ignored
testStopFailure | 3.5.0 3.9.2 4.3.1 | PAUSED | stop | STOPPED
testStopFailure | 3.5.0 3.9.2 4.3.1 | FAILED | stop | STOPPED
testShutdownFailure | 2.8.2 3.9.2 4.3.1 | RUNNING | fail | FAILED
testTransitionStartedToStarted | 2.8.2 3.9.2 4.3.1 | RUNNING | taskConfigs | RUNNING ignored
testTransitionPausedToPaused | 2.8.2 3.9.2 4.3.1 | PAUSED | pause | PAUSED ignored
testTransitionStoppedToStopped | 3.5.0 3.9.2 4.3.1 | STOPPED | stop | STOPPED ignored
a plan to restart it stops it first | 3.0.0 4.3.1 | UNASSIGNED planned=True | startConnector | RESTARTING
a plan to restart it needs no stop of what failed | 3.0.0 4.3.1 | FAILED planned=True | startConnector | RESTARTING
without a plan no record says that it is restarted | 3.0.0 4.3.1 | UNASSIGNED | startConnector | UNASSIGNED ignored
without a plan no record says that it is restarted | 3.0.0 4.3.1 | FAILED | startConnector | FAILED ignored
a plan restarts nothing that runs | 3.0.0 4.3.1 | RUNNING planned=True | startConnector | RUNNING ignored
before there were plans | 2.8.2 | UNASSIGNED planned=True | startConnector | UNASSIGNED ignored
what was restarted is as it is wished | 3.0.0 4.3.1 | RESTARTING waits=True wish=PAUSED | created | PAUSED
what was restarted is as it is wished | 3.5.0 4.3.1 | RESTARTING waits=True wish=STOPPED | created | STOPPED
what was restarted is as it is wished | 3.0.0 4.3.1 | RESTARTING created=True | taskConfigs | RUNNING
what was restarted is as it is wished | 3.0.0 4.3.1 | RESTARTING resumed=True | taskConfigs | RUNNING
what was not made yet does not run | 3.0.0 4.3.1 | RESTARTING | taskConfigs | RESTARTING ignored
what failed while it was made does not run | 3.0.0 4.3.1 | RESTARTING created=True broken=True | taskConfigs | RESTARTING ignored
an old wish is none | 2.8.2 4.3.1 | RUNNING wish=PAUSED | created | RUNNING ignored
an old wish is none | 3.5.0 4.3.1 | RUNNING wish=STOPPED | created | RUNNING ignored
an old wish is none | 3.0.0 4.3.1 | RESTARTING wish=PAUSED | created | RESTARTING ignored
an old wish is none | 3.5.0 4.3.1 | RESTARTING wish=STOPPED | created | RESTARTING ignored
another worker makes it again as it is wished | 2.8.2 4.3.1 | PAUSED waits=True wish=PAUSED | created | PAUSED
another worker makes it again as it is wished | 2.8.2 4.3.1 | FAILED waits=True wish=PAUSED | created | PAUSED
another worker makes it again as it is wished | 2.8.2 4.3.1 | RUNNING waits=True wish=PAUSED | created | PAUSED
another worker makes it again as it is wished | 3.5.0 4.3.1 | STOPPED waits=True wish=STOPPED | created | STOPPED
another worker makes it again as it is wished | 3.5.0 4.3.1 | FAILED waits=True wish=STOPPED | created | STOPPED
another worker makes it again as it is wished | 3.5.0 4.3.1 | RUNNING waits=True wish=STOPPED | created | STOPPED
it runs when it is asked for its tasks | 2.8.2 4.3.1 | UNASSIGNED created=True | taskConfigs | RUNNING
it runs when it is asked for its tasks | 2.8.2 4.3.1 | UNASSIGNED resumed=True | taskConfigs | RUNNING
it runs when it is asked for its tasks | 2.8.2 4.3.1 | UNASSIGNED | taskConfigs | UNASSIGNED ignored
it runs when it is asked for its tasks | 2.8.2 4.3.1 | FAILED created=True | taskConfigs | RUNNING
it runs when it is asked for its tasks | 3.5.0 4.3.1 | STOPPED created=True | taskConfigs | RUNNING
it runs when it is asked for its tasks | 3.5.0 4.3.1 | STOPPED resumed=True | taskConfigs | RUNNING
it runs when it is asked for its tasks | 3.5.0 4.3.1 | STOPPED | taskConfigs | STOPPED ignored
another worker took over what ran | 2.8.2 4.3.1 | RUNNING created=True | taskConfigs | RUNNING
what failed when it was taken over does not run | 2.8.2 4.3.1 | RUNNING created=True broken=True | taskConfigs | RUNNING ignored
what is stopped may be paused | 3.5.0 4.3.1 | STOPPED | pause | PAUSED
nothing else is paused | 2.8.2 4.3.1 | UNASSIGNED | pause | UNASSIGNED ignored
nothing else is paused | 2.8.2 4.3.1 | FAILED | pause | FAILED ignored
nothing else is paused | 2.8.2 4.3.1 | DESTROYED | pause | DESTROYED ignored
nothing else is paused | 3.0.0 4.3.1 | RESTARTING | pause | RESTARTING ignored
nothing else is stopped | 3.5.0 4.3.1 | UNASSIGNED | stop | UNASSIGNED ignored
nothing else is stopped | 3.5.0 4.3.1 | DESTROYED | stop | DESTROYED ignored
nothing else is stopped | 3.5.0 4.3.1 | RESTARTING | stop | RESTARTING ignored
what is paused, stopped, restarted or has failed may fail | 2.8.2 4.3.1 | PAUSED | fail | FAILED
what is paused, stopped, restarted or has failed may fail | 3.5.0 4.3.1 | STOPPED | fail | FAILED
what is paused, stopped, restarted or has failed may fail | 3.0.0 4.3.1 | RESTARTING | fail | FAILED
what is paused, stopped, restarted or has failed may fail | 2.8.2 4.3.1 | FAILED | fail | FAILED
whatever it is, its end is recorded | 2.8.2 4.3.1 | UNASSIGNED | shutdown | UNASSIGNED
whatever it is, its end is recorded | 2.8.2 4.3.1 | RUNNING | shutdown | UNASSIGNED
whatever it is, its end is recorded | 2.8.2 4.3.1 | PAUSED | shutdown | UNASSIGNED
whatever it is, its end is recorded | 3.5.0 4.3.1 | STOPPED | shutdown | UNASSIGNED
whatever it is, its end is recorded | 2.8.2 4.3.1 | FAILED | shutdown | UNASSIGNED
whatever it is, its end is recorded | 3.0.0 4.3.1 | RESTARTING | shutdown | UNASSIGNED
the leader was faster than the worker | 2.8.2 4.3.1 | DESTROYED | shutdown | UNASSIGNED
whatever it is, its record may be removed | 2.8.2 4.3.1 | UNASSIGNED | destroy | DESTROYED
whatever it is, its record may be removed | 2.8.2 4.3.1 | RUNNING | destroy | DESTROYED
whatever it is, its record may be removed | 2.8.2 4.3.1 | PAUSED | destroy | DESTROYED
whatever it is, its record may be removed | 3.5.0 4.3.1 | STOPPED | destroy | DESTROYED
whatever it is, its record may be removed | 2.8.2 4.3.1 | FAILED | destroy | DESTROYED
whatever it is, its record may be removed | 3.0.0 4.3.1 | RESTARTING | destroy | DESTROYED
a record is removed twice | 2.8.2 4.3.1 | DESTROYED | destroy | DESTROYED
""",
    TASK: """
nothing is known of a task that was never made | 2.8.2 4.3.1 | | | DESTROYED
standardStartup | 2.8.2 3.9.2 4.3.1 | DESTROYED | run | RUNNING
standardStartup | 2.8.2 3.9.2 4.3.1 | UNASSIGNED | run; stop | UNASSIGNED
stopBeforeStarting | 2.8.2 3.9.2 4.3.1 | DESTROYED alive=True | stop | UNASSIGNED
stopBeforeStarting | 2.8.2 3.9.2 4.3.1 | UNASSIGNED alive=True | stop | UNASSIGNED
stopBeforeStarting | 2.8.2 3.9.2 4.3.1 | FAILED alive=True | stop | UNASSIGNED
stopBeforeStarting | 3.0.0 3.9.2 4.3.1 | RESTARTING | stop | UNASSIGNED
updateMetricsOnListenerEventsForStartupPauseResumeAndShutdown | 2.8.2 3.9.2 4.3.1 | RUNNING | pause | PAUSED
updateMetricsOnListenerEventsForStartupPauseResumeAndShutdown | 2.8.2 3.9.2 4.3.1 | PAUSED | resume | RUNNING
updateMetricsOnListenerEventsForStartupPauseResumeAndShutdown | 2.8.2 3.9.2 4.3.1 | UNASSIGNED | run; pause; resume; stop | UNASSIGNED
updateMetricsOnListenerEventsForStartupPauseResumeAndFailure | 2.8.2 3.9.2 4.3.1 | RUNNING | pause; resume; fail | FAILED
what has ended is not stopped once more | 2.8.2 4.3.1 | FAILED | stop | FAILED ignored
what has ended is not stopped once more | 2.8.2 4.3.1 | UNASSIGNED | stop | UNASSIGNED ignored
what has ended is not stopped once more | 2.8.2 4.3.1 | DESTROYED | stop | DESTROYED ignored
what is paused is stopped | 2.8.2 4.3.1 | PAUSED | stop | UNASSIGNED
a plan to restart it stops it first | 3.0.0 4.3.1 | UNASSIGNED planned=True | startTask | RESTARTING
a plan to restart it needs no stop of what failed | 3.0.0 4.3.1 | FAILED planned=True | startTask | RESTARTING
without a plan no record says that it is restarted | 3.0.0 4.3.1 | UNASSIGNED | startTask | UNASSIGNED ignored
without a plan no record says that it is restarted | 3.0.0 4.3.1 | FAILED | startTask | FAILED ignored
a plan restarts nothing that runs | 3.0.0 4.3.1 | RUNNING planned=True | startTask | RUNNING ignored
a plan restarts nothing that runs | 3.0.0 4.3.1 | DESTROYED planned=True | startTask | DESTROYED ignored
before there were plans | 2.8.2 | UNASSIGNED planned=True | startTask | UNASSIGNED ignored
it begins paused where its connector is to pause | 2.8.2 4.3.1 | UNASSIGNED waits=True | startPaused | PAUSED
it begins paused where its connector is to pause | 2.8.2 4.3.1 | FAILED waits=True | startPaused | PAUSED
it begins paused where its connector is to pause | 2.8.2 4.3.1 | DESTROYED waits=True | startPaused | PAUSED
it begins paused where its connector is to pause | 2.8.2 4.3.1 | RUNNING waits=True | startPaused | PAUSED
it begins paused where its connector is to pause | 3.0.0 4.3.1 | RESTARTING waits=True | startPaused | PAUSED
it begins as it is wished | 2.8.2 4.3.1 | UNASSIGNED | startPaused | UNASSIGNED ignored
it begins as it is wished | 3.0.0 4.3.1 | RESTARTING | startPaused | RESTARTING ignored
it waits already | 2.8.2 4.3.1 | PAUSED waits=True | startPaused | PAUSED ignored
it runs again where it was paused, had failed or was taken over | 2.8.2 4.3.1 | PAUSED | run | RUNNING
it runs again where it was paused, had failed or was taken over | 2.8.2 4.3.1 | FAILED | run | RUNNING
it runs again where it was paused, had failed or was taken over | 2.8.2 4.3.1 | RUNNING | run | RUNNING
it runs again where it was paused, had failed or was taken over | 3.0.0 4.3.1 | RESTARTING | run | RUNNING
nothing else is paused | 2.8.2 4.3.1 | UNASSIGNED | pause | UNASSIGNED ignored
nothing else is paused | 2.8.2 4.3.1 | PAUSED | pause | PAUSED ignored
nothing else is paused | 2.8.2 4.3.1 | FAILED | pause | FAILED ignored
nothing else is paused | 2.8.2 4.3.1 | DESTROYED | pause | DESTROYED ignored
nothing else is paused | 3.0.0 4.3.1 | RESTARTING | pause | RESTARTING ignored
nothing else is resumed | 2.8.2 4.3.1 | UNASSIGNED | resume | UNASSIGNED ignored
nothing else is resumed | 2.8.2 4.3.1 | RUNNING | resume | RUNNING ignored
nothing else is resumed | 2.8.2 4.3.1 | FAILED | resume | FAILED ignored
nothing else is resumed | 2.8.2 4.3.1 | DESTROYED | resume | DESTROYED ignored
nothing else is resumed | 3.0.0 4.3.1 | RESTARTING | resume | RESTARTING ignored
whatever it is, it may fail | 2.8.2 4.3.1 | UNASSIGNED | fail | FAILED
whatever it is, it may fail | 2.8.2 4.3.1 | PAUSED | fail | FAILED
whatever it is, it may fail | 2.8.2 4.3.1 | FAILED | fail | FAILED
whatever it is, it may fail | 2.8.2 4.3.1 | DESTROYED | fail | FAILED
whatever it is, it may fail | 3.0.0 4.3.1 | RESTARTING | fail | FAILED
whatever it is, its record may be removed | 2.8.2 4.3.1 | UNASSIGNED | destroy | DESTROYED
whatever it is, its record may be removed | 2.8.2 4.3.1 | RUNNING | destroy | DESTROYED
whatever it is, its record may be removed | 2.8.2 4.3.1 | PAUSED | destroy | DESTROYED
whatever it is, its record may be removed | 2.8.2 4.3.1 | FAILED | destroy | DESTROYED
whatever it is, its record may be removed | 3.0.0 4.3.1 | RESTARTING | destroy | DESTROYED
a record is removed twice | 2.8.2 4.3.1 | DESTROYED | destroy | DESTROYED
a newer producer has its transactional id | 3.3.0 4.3.1 | RUNNING | fence elsewhere=False | FAILED
a newer one of it runs elsewhere | 3.3.0 4.3.1 | RUNNING | fence elsewhere=True | RUNNING ignored
before sources had transactions | 3.2.3 | RUNNING | fence elsewhere=False | RUNNING ignored
only what runs is fenced | 3.3.0 4.3.1 | UNASSIGNED | fence elsewhere=False | UNASSIGNED ignored
only what runs is fenced | 3.3.0 4.3.1 | FAILED | fence elsewhere=False | FAILED ignored
only what runs is fenced | 3.3.0 4.3.1 | PAUSED | fence elsewhere=False | PAUSED ignored
only what runs is fenced | 3.3.0 4.3.1 | DESTROYED | fence elsewhere=False | DESTROYED ignored
only what runs is fenced | 3.3.0 4.3.1 | RESTARTING | fence elsewhere=False | RESTARTING ignored
""",
    RUNTIME: """
a partition that is led is loaded first | 3.8.0 3.9.2 4.3.1 | | | INITIAL
a partition that is led is loaded first | 3.8.0 3.9.2 4.3.1 | | to_LOADING; to_ACTIVE | ACTIVE
a partition that is led is loaded first | 3.8.0 3.9.2 4.3.1 | INITIAL | to_LOADING | LOADING
a partition that is led is loaded first | 3.8.0 3.9.2 4.3.1 | INITIAL | to_ACTIVE | INITIAL ! IS.
a partition that is led is loaded first | 3.8.0 3.9.2 4.3.1 | INITIAL | to_FAILED | INITIAL ! IS.
a partition that is not led any more is unloaded | 3.8.0 3.9.2 4.3.1 | INITIAL | to_CLOSED | CLOSED
a partition that is not led any more is unloaded | 3.8.0 3.9.2 4.3.1 | LOADING | to_CLOSED | CLOSED
a partition that is not led any more is unloaded | 3.8.0 3.9.2 4.3.1 | ACTIVE | to_CLOSED | CLOSED
a partition that is not led any more is unloaded | 3.8.0 3.9.2 4.3.1 | FAILED | to_CLOSED | CLOSED
what cannot be read has failed | 3.8.0 3.9.2 4.3.1 | LOADING | to_FAILED | FAILED
what cannot be written has failed | 3.8.0 3.9.2 4.3.1 | ACTIVE | to_FAILED | FAILED
what has failed is loaded anew | 3.8.0 3.9.2 4.3.1 | FAILED | to_LOADING | LOADING
what has failed is loaded anew | 3.8.0 3.9.2 4.3.1 | FAILED | to_ACTIVE | FAILED ! IS.
what has failed is loaded anew | 3.8.0 3.9.2 4.3.1 | FAILED | to_FAILED | FAILED ! IS.
what is loaded takes over a newer epoch | 3.8.0 3.9.2 4.3.1 | LOADING | to_LOADING | LOADING ignored
what is loaded takes over a newer epoch | 3.8.0 3.9.2 4.3.1 | ACTIVE | to_LOADING | ACTIVE ignored
what is closed is made anew | 3.8.0 3.9.2 4.3.1 | CLOSED | created | INITIAL
what is closed is made anew | 3.8.0 3.9.2 4.3.1 | CLOSED | to_LOADING | CLOSED ! IS.
what is closed is made anew | 3.8.0 3.9.2 4.3.1 | CLOSED | to_ACTIVE | CLOSED ! IS.
what is closed is made anew | 3.8.0 3.9.2 4.3.1 | CLOSED | to_FAILED | CLOSED ! IS.
nothing goes back to its beginning | 3.8.0 3.9.2 4.3.1 | LOADING | to_INITIAL | LOADING ! IS.
nothing goes back to its beginning | 3.8.0 3.9.2 4.3.1 | ACTIVE | to_INITIAL | ACTIVE ! IS.
nothing goes back to its beginning | 3.8.0 3.9.2 4.3.1 | FAILED | to_INITIAL | FAILED ! IS.
only what is closed is made anew | 3.8.0 3.9.2 4.3.1 | INITIAL | created | INITIAL ! IS.
only what is closed is made anew | 3.8.0 3.9.2 4.3.1 | LOADING | created | LOADING ! IS.
only what is closed is made anew | 3.8.0 3.9.2 4.3.1 | ACTIVE | created | ACTIVE ! IS.
only what is closed is made anew | 3.8.0 3.9.2 4.3.1 | FAILED | created | FAILED ! IS.
""",
    REGISTRATION: """
who registers is fenced | 3.0.0 3.9.2 4.3.1 | | | FENCED
who has caught up is let in | 3.0.0 3.9.2 4.3.1 | FENCED | to_UNFENCED | UNFENCED
who was silent is fenced | 3.0.0 3.9.2 4.3.1 | UNFENCED | to_FENCED | FENCED
who was silent is fenced | 3.3.0 3.9.2 4.3.1 | CONTROLLED_SHUTDOWN | to_FENCED | FENCED
who asks to stop is let go in order | 3.3.0 3.9.2 4.3.1 | UNFENCED | to_CONTROLLED_SHUTDOWN | CONTROLLED_SHUTDOWN
who is fenced leads nothing to hand over | 3.3.0 3.9.2 4.3.1 | FENCED | to_CONTROLLED_SHUTDOWN | FENCED refused
who asked to stop does not come back | 3.3.0 3.9.2 4.3.1 | CONTROLLED_SHUTDOWN | to_UNFENCED | CONTROLLED_SHUTDOWN refused
who was fenced is not fenced again | 3.0.0 3.9.2 4.3.1 | FENCED | to_FENCED | FENCED ignored
who is let in is not let in again | 3.0.0 3.9.2 4.3.1 | UNFENCED | to_UNFENCED | UNFENCED ignored
who asks to stop twice is asked to wait | 3.3.0 3.9.2 4.3.1 | CONTROLLED_SHUTDOWN | to_CONTROLLED_SHUTDOWN | CONTROLLED_SHUTDOWN ignored
an administrator takes it out | 3.0.0 3.9.2 4.3.1 | FENCED | to_UNREGISTERED | UNREGISTERED
an administrator takes it out | 3.0.0 3.9.2 4.3.1 | UNFENCED | to_UNREGISTERED | UNREGISTERED
an administrator takes it out | 3.3.0 3.9.2 4.3.1 | CONTROLLED_SHUTDOWN | to_UNREGISTERED | UNREGISTERED
who was taken out is no broker | 3.0.0 3.9.2 4.3.1 | UNREGISTERED | to_UNREGISTERED | UNREGISTERED
who was taken out is no broker | 3.0.0 3.9.2 4.3.1 | UNREGISTERED | to_UNFENCED | UNREGISTERED refused
who was taken out is no broker | 3.0.0 3.9.2 4.3.1 | UNREGISTERED | to_FENCED | UNREGISTERED refused
who was taken out is no broker | 3.3.0 3.9.2 4.3.1 | UNREGISTERED | to_CONTROLLED_SHUTDOWN | UNREGISTERED refused
""",
    NETWORK: """
nobody is connected at first | 2.8.2 3.9.2 4.3.1 |  |  | DISCONNECTED ? isDisconnected, not isConnected
a connection is tried again after a back-off | 2.8.2 3.9.2 4.3.1 | DISCONNECTED | to_CONNECTING | CONNECTING ? not isDisconnected, not isConnected
nothing else happens to who is not connected | 2.8.2 3.9.2 4.3.1 | DISCONNECTED | to_CHECKING_API_VERSIONS | DISCONNECTED refused
nothing else happens to who is not connected | 2.8.2 3.9.2 4.3.1 | DISCONNECTED | to_READY | DISCONNECTED refused
nothing else happens to who is not connected | 2.8.2 3.9.2 4.3.1 | DISCONNECTED | to_DISCONNECTED | DISCONNECTED refused
nothing else happens to who is not connected | 2.8.2 3.9.2 4.3.1 | DISCONNECTED | to_AUTHENTICATION_FAILED | DISCONNECTED refused
a connection is tried again after a back-off | 2.8.2 3.9.2 4.3.1 | AUTHENTICATION_FAILED | to_CONNECTING | CONNECTING ? not isDisconnected, not isConnected
nothing else happens to who is not connected | 2.8.2 3.9.2 4.3.1 | AUTHENTICATION_FAILED | to_CHECKING_API_VERSIONS | AUTHENTICATION_FAILED refused
nothing else happens to who is not connected | 2.8.2 3.9.2 4.3.1 | AUTHENTICATION_FAILED | to_READY | AUTHENTICATION_FAILED refused
nothing else happens to who is not connected | 2.8.2 3.9.2 4.3.1 | AUTHENTICATION_FAILED | to_DISCONNECTED | AUTHENTICATION_FAILED refused
nothing else happens to who is not connected | 2.8.2 3.9.2 4.3.1 | AUTHENTICATION_FAILED | to_AUTHENTICATION_FAILED | AUTHENTICATION_FAILED refused
a node is asked for its versions once it is there | 2.8.2 3.9.2 4.3.1 | CONNECTING | to_CHECKING_API_VERSIONS | CHECKING_API_VERSIONS ? isConnected
who does not ask for versions is ready at once | 2.8.2 3.9.2 4.3.1 | CONNECTING | to_READY | READY ? isConnected
who knows the versions is ready | 2.8.2 3.9.2 4.3.1 | CHECKING_API_VERSIONS | to_READY | READY
whatever it was, it is lost | 2.8.2 3.9.2 4.3.1 | CONNECTING | to_DISCONNECTED | DISCONNECTED
whatever it was, it is not believed | 2.8.2 3.9.2 4.3.1 | CONNECTING | to_AUTHENTICATION_FAILED | AUTHENTICATION_FAILED ? isDisconnected
nobody connects twice | 2.8.2 3.9.2 4.3.1 | CONNECTING | to_CONNECTING | CONNECTING refused
whatever it was, it is lost | 2.8.2 3.9.2 4.3.1 | CHECKING_API_VERSIONS | to_DISCONNECTED | DISCONNECTED
whatever it was, it is not believed | 2.8.2 3.9.2 4.3.1 | CHECKING_API_VERSIONS | to_AUTHENTICATION_FAILED | AUTHENTICATION_FAILED ? isDisconnected
nobody connects twice | 2.8.2 3.9.2 4.3.1 | CHECKING_API_VERSIONS | to_CONNECTING | CHECKING_API_VERSIONS refused
whatever it was, it is lost | 2.8.2 3.9.2 4.3.1 | READY | to_DISCONNECTED | DISCONNECTED
whatever it was, it is not believed | 2.8.2 3.9.2 4.3.1 | READY | to_AUTHENTICATION_FAILED | AUTHENTICATION_FAILED ? isDisconnected
nobody connects twice | 2.8.2 3.9.2 4.3.1 | READY | to_CONNECTING | READY refused
versions are asked for once | 2.8.2 3.9.2 4.3.1 | CHECKING_API_VERSIONS | to_CHECKING_API_VERSIONS | CHECKING_API_VERSIONS refused
versions are asked for once | 2.8.2 3.9.2 4.3.1 | READY | to_CHECKING_API_VERSIONS | READY refused
nobody is ready twice | 2.8.2 3.9.2 4.3.1 | READY | to_READY | READY refused
""",
    ACTIVE: """
a controller begins as one of those that follow | 3.0.0 3.3.0 3.9.2 4.3.1 |  |  | Standby ? not isActiveController
it claims the epoch in which it was elected | 3.0.0 3.3.0 3.9.2 4.3.1 | Standby epoch=3 | to_Active newEpoch=4 | Active ? isActiveController
it may have heard already that the epoch began | 3.0.0 3.3.0 3.9.2 4.3.1 | Standby epoch=4 | to_Active newEpoch=4 | Active
no epoch comes back | 3.0.0 3.3.0 3.9.2 4.3.1 | Standby epoch=4 | to_Active newEpoch=3 | Standby ! R.
it renounces for a later epoch, or for a write that failed | 3.0.0 3.3.0 3.9.2 4.3.1 | Active epoch=4 | to_Standby newEpoch=5 | Standby
it renounces for a later epoch, or for a write that failed | 3.0.0 3.3.0 3.9.2 4.3.1 | Active epoch=4 | to_Standby newEpoch=4 | Standby
no epoch comes back | 3.0.0 3.3.0 3.9.2 4.3.1 | Active epoch=4 | to_Standby newEpoch=3 | Active ! R.
it won the next one before it heard that it lost | 3.3.0 3.9.2 4.3.1 | Active epoch=4 | to_Active newEpoch=5 | Active
an epoch is claimed once | 3.0.0 3.3.0 3.9.2 4.3.1 | Active epoch=4 | to_Active newEpoch=4 | Active ! R.
it won the next one before it heard that it lost | 3.0.0 3.2.3 | Active epoch=4 | to_Active newEpoch=5 | Active ! R.
it hears of the election of others | 3.0.0 3.3.0 3.9.2 4.3.1 | Standby epoch=4 | to_Standby newEpoch=5 | Standby
it hears of the election of others | 3.0.0 3.3.0 3.9.2 4.3.1 | Standby epoch=4 | to_Standby newEpoch=4 | Standby
what it heard counts | 3.0.0 3.3.0 3.9.2 4.3.1 | Standby epoch=4 | to_Standby newEpoch=5; to_Active newEpoch=4 | Standby ! R.
what it heard counts | 3.0.0 3.3.0 3.9.2 4.3.1 | Standby epoch=4 | to_Active newEpoch=6; to_Active newEpoch=6 | Active ! R.
what it heard counts | 3.0.0 3.3.0 3.9.2 4.3.1 | Active epoch=4 | to_Standby newEpoch=6; to_Active newEpoch=5 | Standby ! R.
what it heard counts | 3.3.0 3.9.2 4.3.1 | Active epoch=4 | to_Active newEpoch=6; to_Standby newEpoch=5 | Active ! R.
news that are old are passed over | 3.0.0 3.3.0 3.9.2 4.3.1 | Standby epoch=4 | to_Standby newEpoch=3 | Standby ignored
""",
}
"""Machine to its rows."""
