//! Two-phase commit as examples/TwoPhaseCommit.yaml has it, explored by Stateright: the other side
//! of benchmarks/exploring_others.py. Prints the states, the steps and the depth.

use stateright::{Checker, Model, Property};

const WORKING: u8 = 0;
const PREPARED: u8 = 1;
const COMMITTED: u8 = 2;
const ABORTED: u8 = 3;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Coordinator {
    Collecting,
    Committed,
    Aborted,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    coordinator: Coordinator,
    stages: Vec<u8>,
    sent: u32,
    arrived: u32,
}

#[derive(Clone, PartialEq, Debug)]
enum Step {
    Prepare(usize),
    GiveUp(usize),
    Arrive(usize),
    DecideCommit,
    DecideAbort,
    Obey(usize),
}

struct TwoPhaseCommit {
    managers: usize,
}

impl Model for TwoPhaseCommit {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            coordinator: Coordinator::Collecting,
            stages: vec![WORKING; self.managers],
            sent: 0,
            arrived: 0,
        }]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        let collecting = state.coordinator == Coordinator::Collecting;
        if collecting {
            steps.push(Step::DecideAbort);
            if state.arrived == (1 << self.managers) - 1 {
                steps.push(Step::DecideCommit);
            }
        }
        for manager in 0..self.managers {
            if state.stages[manager] == WORKING {
                steps.push(Step::Prepare(manager));
                steps.push(Step::GiveUp(manager));
            }
            if !collecting {
                steps.push(Step::Obey(manager));
            } else if state.sent >> manager & 1 == 1 {
                steps.push(Step::Arrive(manager));
            }
        }
    }

    fn next_state(&self, state: &State, step: Step) -> Option<State> {
        let mut after = state.clone();
        match step {
            Step::Prepare(manager) => {
                after.stages[manager] = PREPARED;
                after.sent |= 1 << manager;
            }
            Step::GiveUp(manager) => after.stages[manager] = ABORTED,
            Step::Arrive(manager) => after.arrived |= 1 << manager,
            Step::DecideCommit => after.coordinator = Coordinator::Committed,
            Step::DecideAbort => after.coordinator = Coordinator::Aborted,
            Step::Obey(manager) => {
                after.stages[manager] = match state.coordinator {
                    Coordinator::Committed => COMMITTED,
                    _ => ABORTED,
                }
            }
        }
        Some(after)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("consistent", |_, state: &State| {
                !(state.stages.contains(&COMMITTED) && state.stages.contains(&ABORTED))
            }),
            Property::always("toldHaveSent", |_, state: &State| {
                state.arrived & !state.sent == 0
            }),
            Property::sometimes("allCommit", |_, state: &State| {
                state.stages.iter().all(|stage| *stage == COMMITTED)
            }),
            Property::sometimes("allAbort", |_, state: &State| {
                state.stages.iter().all(|stage| *stage == ABORTED)
            }),
        ]
    }
}

fn main() {
    let managers = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .expect("how many resource managers");
    let checker = TwoPhaseCommit { managers }.checker().spawn_bfs().join();
    checker.assert_properties();
    println!(
        "{} {} {}",
        checker.unique_state_count(),
        checker.state_count() - 1,
        checker.max_depth() - 1
    );
}
