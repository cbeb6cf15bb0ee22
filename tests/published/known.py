"""What others counted, and where they say so."""

from __future__ import annotations

from attrs import frozen

TLA = "[TLA+ examples](https://github.com/tlaplus/Examples)"
STATERIGHT = "[Stateright](https://github.com/stateright/stateright)"
CIARDO = "Ciardo and Tilgner 1996"


@frozen
class Count:
    """One published count."""

    model: str
    states: int
    source: str
    scope: str = ""
    shipped: bool = False
    """Whether it is an example of the catalogue."""
    generated: int | None = None
    """As TLC counts: the beginnings, and each way of making the next-state formula true; or the arcs of a net, with `begins` 0."""
    begins: int = 1
    more: int = 0
    """What TLC counts beside steps as (state, event, arguments)."""
    why: str = ""
    """What these are."""
    deepest: int | None = None
    goal: str = ""
    steps: int | None = None
    only_steps: bool = False
    """Whether something else was published: then the number of the states is ours."""
    orbits: int | None = None
    """Of states under renaming of ids; ours, proved by going through all renamings in a test."""
    note: str = ""
    slow: bool = False
    """Whether it takes more than a few seconds: such are explored by the command alone."""

    @property
    def steps_said(self) -> str:
        """The number of steps, for the page."""
        return "" if self.generated is None else f"{self.generated - self.begins - self.more:,}"

    @property
    def known(self) -> str:
        """What else is known, for the page."""
        said = []
        if self.generated is not None and self.begins:
            more = f", {self.more:,} {self.why}" if self.more else ""
            said.append(
                f"{self.generated:,} generated: {self.begins:,} begin{'s' if self.begins == 1 else ''}{more}"
            )
        said += [f"at most {self.deepest} steps away"] if self.deepest is not None else []
        said += [f"{self.goal} after {self.steps}"] if self.goal else []
        said += [f"{self.orbits} up to symmetry"] if self.orbits is not None else []
        return "; ".join([*said, *([self.note] if self.note else [])])


DONE = "times all is done and TLC steps on the spot"
COUNTS = (
    Count(
        "TwoPhaseCommit", 288, f"{TLA} transaction_commit", "RM=3", True, generated=1146, orbits=80
    ),
    Count("TwoPhaseCommit", 8832, STATERIGHT, "RM=5", True, orbits=314),
    Count("TransactionCommit", 34, f"{TLA} transaction_commit", "RM=3", True, generated=94),
    Count(
        "WaterJugs", 16, f"{TLA} DieHard", shipped=True, generated=97, goal="fourLitres", steps=6
    ),
    Count("CoffeeCan", 5150, f"{TLA} CoffeeCan", "most=100", True),
    Count(
        "FairCommit", 34, f"{TLA} transaction_commit", "RM=3", generated=94, note="with fairness"
    ),
    Count(
        "CommitSystem",
        288,
        f"{TLA} transaction_commit",
        "RM=3",
        generated=1146,
        note="the same as a system of machines",
    ),
    Count(
        "CommitMessages",
        288,
        f"{TLA} transaction_commit",
        "RM=3",
        generated=1146,
        orbits=80,
        note="messages as records",
    ),
    Count("CommitMessages", 8832, STATERIGHT, "RM=5", orbits=314),
    Count("CommitWithCrashes", 54944, f"{TLA} acp/ACP_SB"),
    Count(
        "NonBlockingCommit",
        4284,
        f"{TLA} acp/ACP_NB",
        deepest=18,
        note="with what is fair as one",
    ),
    Count("Paxos", 3921, f"{TLA} PaxosHowToWinATuringAward", note="two ballots", orbits=443),
    Count("PaxosVoting", 6752, f"{TLA} PaxosHowToWinATuringAward", note="three ballots"),
    Count("SimpleAllocator", 400, f"{TLA} allocator", generated=1633, orbits=50),
    Count(
        "SchedulingAllocator",
        1690,
        f"{TLA} allocator",
        generated=5854,
        orbits=165,
        note="refines SimpleAllocator, and keeps what it promises",
    ),
    Count(
        "AllocatorImplementation",
        17701,
        f"{TLA} allocator",
        generated=64414,
        note="refines SchedulingAllocator, and keeps what clients are promised",
        slow=True,
    ),
    Count(
        "Elevators",
        4122,
        f"{TLA} MultiCarElevator",
        generated=14296,
        begins=64,
        deepest=35,
        note="people arrive where cars are strongly fair, and not where weakly",
        slow=True,
    ),
    Count(
        "Disruptor",
        8496,
        f"{TLA} Disruptor",
        generated=28049,
        deepest=82,
        note="with a state constraint",
    ),
    Count(
        "ReplicatedLog",
        1363,
        f"{TLA} FiniteMonotonic",
        deepest=13,
        note="with a state constraint",
    ),
    Count("ReadersWriters", 21527, f"{TLA} ReadersWriters", generated=59674),
    Count("CigaretteSmokers", 6, f"{TLA} CigaretteSmokers", generated=15, begins=3),
    Count("ChangRoberts", 137, f"{TLA} chang_roberts", generated=227, begins=8),
    Count(
        "EWD840",
        302,
        f"{TLA} ewd840",
        generated=2001,
        begins=192,
        more=184,
        why="for conditions with `or`, of which each part counts",
    ),
    Count("SyncTermination", 129, f"{TLA} ewd840", generated=3722, begins=129),
    Count("AsyncTermination", 4097, f"{TLA} ewd998", generated=53271, begins=17),
    Count("TokenRing", 46656, f"{TLA} ewd426", generated=248832, begins=46656, slow=True),
    Count("Prisoners", 214, f"{TLA} Prisoners", generated=860, begins=4, orbits=78),
    Count("PrisonersOneSwitch", 16, f"{TLA} Prisoners_Single_Switch", generated=49, orbits=10),
    Count(
        "PrisonersOneSwitch",
        62,
        f"{TLA} Prisoners_Single_Switch",
        "unknown=True",
        generated=188,
        begins=2,
    ),
    Count("Barrier", 64, f"{TLA} barriers", generated=194, orbits=7),
    Count("Barriers", 29279, f"{TLA} barriers", generated=104515, note="of two chambers"),
    Count("Majority", 2733, f"{TLA} Majority", generated=3459, begins=1092),
    Count("CommitBackup", 1245, f"{TLA} transaction_commit", note="with a backup manager"),
    Count(
        "LamportMutex",
        724274,
        f"{TLA} lamport_mutex",
        generated=2729079,
        note="with a state constraint",
        slow=True,
    ),
    Count(
        "MutexSystem",
        724274,
        f"{TLA} lamport_mutex",
        generated=2729079,
        note="the same as a system with channels",
        slow=True,
    ),
    Count("MovingCat", 48, f"{TLA} Moving_Cat_Puzzle", "boxes=6", generated=128, begins=48),
    Count("MovingCat", 30, f"{TLA} Moving_Cat_Puzzle", "boxes=5", generated=78, begins=30),
    Count("GameOfLife", 65536, f"{TLA} GameOfLife", generated=131072, begins=65536, slow=True),
    Count(
        "TeachingConcurrency", 723, f"{TLA} TeachingConcurrency", generated=1842, more=31, why=DONE
    ),
    Count(
        "SimpleRegular",
        277726,
        f"{TLA} TeachingConcurrency",
        generated=1454776,
        more=255,
        why=DONE,
        slow=True,
    ),
    Count("PetersonLabels", 42, f"{TLA} locks_auxiliary_vars", generated=77),
    Count("Lock", 12, f"{TLA} locks_auxiliary_vars", generated=21),
    Count("SingleLaneBridge", 3605, f"{TLA} SingleLaneBridge"),
    Count("Chameneos", 34534, f"{TLA} Chameneos", generated=104697, begins=81),
    Count("SpanTree", 1236, f"{TLA} SpanningTree", generated=10278),
    Count(
        "LockHS",
        28,
        f"{TLA} locks_auxiliary_vars",
        generated=41,
        deepest=9,
        note="refines PetersonLabels and Lock; starves nobody where taking the lock is strongly fair, and not where weakly",
    ),
    Count("ABCorrectness", 20, f"{TLA} SpecifyingSystems", generated=36, begins=8, deepest=2),
    Count(
        "AlternatingBit",
        240,
        f"{TLA} SpecifyingSystems",
        note="refines ABCorrectness where receiving is strongly fair",
    ),
    Count(
        "AlternatingBitChannels",
        240,
        f"{TLA} SpecifyingSystems",
        note="the same as a system whose channels lose",
    ),
    Count(
        "InnerFIFO",
        3864,
        f"{TLA} SpecifyingSystems",
        generated=9660,
        begins=36,
    ),
    Count("Register", 12, f"{TLA} SpecifyingSystems, Channel", generated=30, begins=6),
    Count("InternalMemory", 4408, f"{TLA} SpecifyingSystems", generated=21400, begins=8),
    Count(
        "WriteThroughCache",
        5196,
        f"{TLA} SpecifyingSystems",
        generated=28170,
        begins=2,
        deepest=17,
        note="refines InternalMemory; answers where getting into the queue is strongly fair, and not where weakly",
    ),
    Count("Echo", 75, f"{TLA} echo", generated=116, more=3, why=DONE, deepest=15),
    Count("TcpHandshake", 1182, f"{TLA} tcp"),
    Count("Chosen", 4, f"{TLA} Paxos", generated=4, note="published as Consensus"),
    Count(
        "PaxosVotes",
        599,
        f"{TLA} Paxos, Voting",
        only_steps=True,
        deepest=10,
        orbits=77,
        note="77 were published; refines Chosen",
    ),
    Count(
        "YoYo",
        60,
        f"{TLA} YoYo, without pruning",
        generated=110,
        deepest=18,
        note="elects one for ever where its steps are fair as one",
    ),
    Count(
        "ReliableBroadcast",
        14424,
        f"{TLA} bcastByz",
        generated=227344,
        begins=64,
        more=14424,
        why="states in which TLC steps on the spot",
        deepest=6,
        note="all accept where what is heard of the honest is fair as one",
        slow=True,
    ),
    Count(
        "DisruptorMany",
        14365,
        f"{TLA} Disruptor, MPMC",
        generated=44581,
        deepest=61,
        note="with a state constraint; all is read where reading is fair",
    ),
    Count(
        "Quicksort",
        4548,
        f"{TLA} LoopInvariance",
        generated=11223,
        begins=120,
        more=120,
        why=DONE,
        deepest=8,
    ),
    Count(
        "CommitWithDetector",
        3016,
        f"{TLA} nbacc_ray97",
        generated=49592,
        begins=16,
        more=1296,
        why="times both a crash and a NO say to abort, and each counts",
        deepest=6,
    ),
    Count("VoteProof", 6962, f"{TLA} byzpaxos", note="refines Chosen"),
    Count(
        "Reachable",
        8,
        f"{TLA} MisraReachability",
        only_steps=True,
        note="ends where its steps are fair as one",
    ),
    Count(
        "ParReach",
        393,
        f"{TLA} MisraReachability",
        generated=747,
        more=4,
        why=DONE,
        deepest=17,
        note="refines Reachable, and ends as it does",
    ),
    Count(
        "PrimerCycle",
        63,
        f"{TLA} glowingRaccoon, clean",
        generated=99,
        deepest=9,
        note="uses up no primers",
    ),
    Count(
        "PrimerProduct",
        305,
        f"{TLA} glowingRaccoon, product",
        generated=376,
        deepest=22,
        note="refines PrimerStages, and what it promises",
    ),
    Count("VoucherLifeCycle", 64, f"{TLA} byihive", generated=193),
    Count("VoucherIssue", 4199, f"{TLA} byihive", generated=26848, note="refines VoucherLifeCycle"),
    Count(
        "FindHighest",
        742,
        f"{TLA} LearnProofs",
        generated=1523,
        begins=156,
        more=781,
        why="lists that are too long, or times all is done",
    ),
    Count(
        "LeastRotation",
        8554,
        f"{TLA} LeastCircularSubstring",
        generated=8681,
        begins=127,
        more=127,
        why=DONE,
    ),
    Count(
        "GuerraouiCommit",
        24922,
        f"{TLA} nbacg_guer01",
        generated=159538,
        begins=64,
        more=74766,
        why="steps on the spot, three a state",
        note="ends, where the steps are fair as one",
    ),
    Count("KeyValueStore", 2641, f"{TLA} btree/kvstore", generated=28585),
    Count("GrowOnlyCounter", 25000, f"{TLA} FiniteMonotonic/CRDT", note="with a state constraint"),
    Count("HourClock", 12, f"{TLA} SpecifyingSystems/Liveness", generated=24, begins=12),
    Count(
        "AsynchInterface",
        12,
        f"{TLA} SpecifyingSystems/AsynchronousInterface",
        generated=30,
        begins=6,
    ),
    Count(
        "PrimerStages",
        83,
        f"{TLA} glowingRaccoon, stages",
        generated=93,
        deepest=22,
        note="refines PrimerCycle, and uses up the primers",
    ),
    Count(
        "DijkstraMutex",
        90882,
        f"{TLA} dijkstra-mutex",
        generated=282810,
        begins=3,
        deepest=53,
        note="deadlock free where processes are fair, and not starvation free",
        slow=True,
    ),
    Count(
        "DijkstraSystem",
        90882,
        f"{TLA} dijkstra-mutex",
        generated=282810,
        begins=3,
        deepest=53,
        note="the same as a system of processes that are fair",
        slow=True,
    ),
    Count(
        "BinarySearch",
        27953,
        f"{TLA} LoopInvariance",
        generated=34383,
        begins=6430,
        more=6430,
        why=DONE,
        slow=True,
    ),
    Count(
        "Handshake",
        4,
        f"{TLA} TwoPhase",
        generated=5,
        note="refines Alternate, and what it promises",
    ),
    Count("Alternate", 2, f"{TLA} TwoPhase, Alternate", only_steps=True),
    Count(
        "InnerSequential",
        3528,
        f"{TLA} SpecifyingSystems/AdvancedExamples",
        generated=24368,
        begins=8,
        note="with a state constraint",
    ),
    Count(
        "EWD687a",
        18028,
        f"{TLA} ewd687a, without a tree of its own; counted by TLC 2.15",
        generated=177171,
        more=1298,
        why="for conditions with `or`, of which each part counts",
        deepest=26,
        note="with a state constraint; detects that all is done where any step is fair",
    ),
    Count(
        "YoYoPruning",
        102,
        f"{TLA} YoYo, with pruning",
        generated=157,
        deepest=30,
        note="elects one for ever where any step is fair",
    ),
    Count(
        "PaxosWithoutLeaders",
        48514,
        f"{TLA} SimplifiedFastPaxos/Paxos",
        only_steps=True,
        deepest=21,
        orbits=1207,
        note="1,207 were published",
        slow=True,
    ),
    Count(
        "MuxSem",
        32,
        "Manna and Pnueli 1995; counted by TLC 2.15",
        generated=73,
        note="starves nobody where taking the semaphore is strongly fair, and not where weakly",
    ),
    Count(
        "AtOnce3",
        20,
        "Dijkstra, EWD 310; counted by TLC 2.15",
        generated=49,
        note="all eat where taking both forks is strongly fair, and not where weakly",
    ),
    Count(
        "AtOnceSystem",
        20,
        "Dijkstra, EWD 310; counted by TLC 2.15",
        generated=49,
        note="the same as a system of machines",
    ),
    Count(
        "AtOnce4",
        56,
        "Dijkstra, EWD 310; counted by TLC 2.15",
        generated=185,
        note="of four, two may conspire against one even where taking is strongly fair",
    ),
    Count(
        "Stenning",
        207,
        "Stenning 1976; counted by TLC 2.15",
        generated=1006,
        deepest=15,
        note="channels of two that lose and reorder; all arrives where deliveries are strongly"
        " fair, and not where weakly",
    ),
    Count(
        "RingElection",
        35,
        "Dolev, Klawe and Rodeh 1982; counted by TLC 2.15",
        generated=57,
        deepest=15,
        note="channels that keep what is refused: a process hears when it is ready",
    ),
    Count(
        "RicartAgrawala",
        12357,
        "Ricart and Agrawala 1981; counted by TLC 2.15",
        generated=40689,
        deepest=42,
        note="channels that reorder",
    ),
    Count(
        "StopAndWait",
        125,
        "Tanenbaum, protocol 3; counted by TLC 2.15",
        generated=573,
        deepest=17,
        note="channels that lose, and drop where full; all arrives where deliveries are strongly fair, and not where weakly",
    ),
    Count(
        "GoBackN",
        551,
        "Tanenbaum, protocol 5; counted by TLC 2.15",
        generated=3427,
        deepest=17,
        note="the same with a window of two, of which the first may be lost each time: nothing need arrive",
    ),
    Count(
        "DetectingRing",
        69138,
        "Dijkstra, EWD 998; counted by TLC 2.15",
        deepest=47,
        note="mailboxes that keep what is refused; two messages that are equal are two deliveries",
        slow=True,
    ),
    Count(
        "BlockingQueue",
        24,
        "[BlockingQueue](https://github.com/lemmy/BlockingQueue); counted by TLC 2.15",
        generated=65,
        deepest=6,
        note="nobody waits for ever where who is woken is strongly fair, and not where weakly",
    ),
    Count(
        "SpinLock",
        20,
        "Herlihy and Shavit 2008; counted by TLC 2.15",
        generated=49,
        deepest=4,
        note="starves nobody where taking the lock is strongly fair, and not where weakly",
    ),
    Count(
        "RoomOfReaders",
        20,
        "Courtois, Heymans and Parnas 1971; counted by TLC 2.15",
        generated=59,
        note="readers starve a writer even where writing is strongly fair",
    ),
    Count(
        "PetersonMany",
        1008,
        "Peterson 1981; counted by TLC 2.15",
        generated=2567,
        deepest=29,
        note="three processes; starves nobody where steps are weakly fair",
    ),
    Count(
        "Szymanski",
        112,
        "Szymanski 1988; counted by TLC 2.15",
        generated=213,
        more=5,
        why="for conditions with `any`, of which each witness counts",
        deepest=12,
        note="three processes; starves nobody where steps are weakly fair",
    ),
    Count("DiningClean", 67, f"{TLA} DiningPhilosophers", generated=336),
    Count("IncrementRace", 13, f"{STATERIGHT} increment", "Thread=2", orbits=8),
    Count("PingPong", 14, f"{STATERIGHT} actor/model", "most=1", goal="reached", steps=2),
    Count("PingPong", 4094, f"{STATERIGHT} actor/model", "most=5"),
    Count("Diophantine", 65536, f"{STATERIGHT} linear_equation_solver"),
    Count("DiningCatch", 243, "Model Checking Contest, Philosophers-000005", "seats=5", note="3ⁿ"),
    Count(
        "DiningCatch",
        59049,
        "Model Checking Contest, Philosophers-000010",
        "seats=10",
        note="3ⁿ",
        slow=True,
    ),
    Count(
        "Table",
        243,
        "Model Checking Contest, Philosophers-000005",
        note="the same as a system of machines",
    ),
    Count("Kanban", 160, CIARDO, "cards=1", generated=616, begins=0),
    Count("Kanban", 4600, CIARDO, "cards=2", generated=28120, begins=0),
    Count("Kanban", 58400, CIARDO, "cards=3", generated=446400, begins=0, slow=True),
    Count(
        "RiverCrossing",
        10,
        "Alcuin",
        shipped=True,
        generated=20,
        begins=0,
        goal="allAreOver",
        steps=7,
    ),
    Count("MissionariesAndCannibals", 16, "Amarel 1968", shipped=True, goal="allAreOver", steps=11),
    Count("Husbands", 40, "Pressman and Singmaster 1989", only_steps=True, goal="over", steps=11),
    Count(
        "TowersOfHanoi",
        3**7,
        "Lucas 1883",
        "discs={0, 1, 2, 3, 4, 5, 6}",
        True,
        goal="allAreOver",
        steps=2**7 - 1,
    ),
    Count("Rings", 128, "Gros 1872, OEIS A000975", goal="free", steps=85),
    Count("Frogs", 72, "Lucas 1883", only_steps=True, goal="done", steps=15),
    Count("Queens", 2057, "Knuth, 7.2.2", "size=8", True),
    Count("LightsOut", 4096, "Scherphuis", generated=65536, begins=0, deepest=7),
    Count(
        "EightPuzzle", 181440, "Reinefeld 1993", generated=483840, begins=0, deepest=31, slow=True
    ),
    Count(
        "Klotski",
        25955,
        "[klotski-solver](https://github.com/aschmied/klotski-solver)",
        goal="solved",
        steps=116,
        slow=True,
    ),
)
