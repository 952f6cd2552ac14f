//! The machine: the state before a run and its samples give the state after it, what is told and what the history
//! keeps. An alert is open while so many of the last runs gave a reason as the definition asks for.

use std::collections::{BTreeMap, BTreeSet};

use tidegauge_model::monitor::{AlertState, Definition};
use tidegauge_model::{MonitorId, Timestamp};

use crate::evaluate::{verdict, worse};
use crate::events::{EVENT_BYTES_MAX, take_quota};
use crate::outcome::{Check, CheckOutcome, Notification, NotificationKind, Outcome, Reason};
use crate::samples::{GroupKey, MatchedEvent, Samples, Series};
use crate::schedule::Window;
use crate::state::{GroupState, OpenAlert, State};
use crate::verdict::Verdict;

/// How many groups a monitor follows at once. Those furthest out go first; the rest wait until there is room.
pub const GROUPS_MAX: usize = 1_000;

/// How many runs are looked back at.
const RUNS_MAX: u32 = 1_000;

/// How many groups have a line of their own in the history of one run.
const GROUP_CHECKS_MAX: usize = 100;

/// How many events are remembered for people to close them.
const OPEN_EVENTS_MAX: usize = 100;

/// A run of a monitor.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub monitor: MonitorId,
    /// The time that it is for, whenever it is made.
    pub at: Timestamp,
    pub window: Window,
}

/// What the samples of a run lead to.
pub fn evaluate(definition: &Definition, before: &State, run: &Run, samples: &Samples) -> Outcome {
    match samples {
        Samples::Series(series) => evaluate_series(definition, before, run, series),
        Samples::Events(events) => evaluate_events(definition, before, run, events),
    }
}

/// What a run without an answer leads to: it is kept in the history, and nothing else changes.
pub fn failed(before: &State, problem: String) -> Outcome {
    let mut state = before.clone();
    state.failures = state.failures.saturating_add(1);
    let check = Check {
        group: GroupKey::new(),
        state: alert_state(before.is_open()),
        outcome: CheckOutcome::Failed,
        is_change: before.failures == 0,
        value: None,
        reason: Reason::Failed(problem),
    };
    Outcome { state, notifications: Vec::new(), checks: vec![check] }
}

/// What it leads to that people close all that is open. What still gives a reason does not open again before there was
/// none.
pub fn resolved_by_hand(definition: &Definition, before: &State) -> Outcome {
    let mut state = before.clone();
    let mut incidents = BTreeMap::new();
    for (key, group) in &mut state.groups {
        let Some(open) = group.open.take() else { continue };
        group.is_held = true;
        incidents.insert(open.incident, key.clone());
    }
    incidents.extend(state.open_events.drain(..).map(|incident| (incident, GroupKey::new())));
    state.is_matching = false;
    let (kind, reason) = (NotificationKind::Closed, Reason::ByHand);
    let notification = |(incident, group)| {
        let reason = reason.clone();
        Notification { kind, incident, group, others: 0, value: 0.0, reason, event: None }
    };
    let notifications = match definition.skips_resolved {
        true => Vec::new(),
        false => incidents.into_iter().map(notification).collect(),
    };
    let check = Check {
        group: GroupKey::new(),
        state: AlertState::Closed,
        outcome: CheckOutcome::Evaluated,
        is_change: before.is_open(),
        value: None,
        reason: Reason::ByHand,
    };
    Outcome { state, notifications, checks: vec![check] }
}

fn evaluate_series(definition: &Definition, before: &State, run: &Run, series: &[Series]) -> Outcome {
    let by_group = verdicts(definition, series);
    let is_empty = by_group.is_empty();
    let whole = by_group.values().cloned().reduce(worse);
    let given = match (is_empty, definition.notifies_by_group) {
        (true, _) if definition.alerts_on_no_data => BTreeMap::from([(GroupKey::new(), no_data())]),
        (true, _) => BTreeMap::new(),
        (false, true) => by_group,
        (false, false) => whole.clone().map(|whole| (GroupKey::new(), whole)).into_iter().collect(),
    };
    // While nothing comes at all and that is told, it is not known how the groups are.
    let keeps_others = is_empty && definition.alerts_on_no_data;
    let mut step = Step::new(definition, run, before);
    for (key, verdict) in in_order_of_urgency(before, given, keeps_others) {
        step.take(key, verdict);
    }
    let whole = whole.unwrap_or_else(|| if definition.alerts_on_no_data { no_data() } else { data_gone() });
    step.ended(&whole, is_empty)
}

/// The verdicts of the groups that have numbers.
fn verdicts(definition: &Definition, series: &[Series]) -> BTreeMap<GroupKey, Verdict> {
    let mut verdicts: BTreeMap<GroupKey, Verdict> = BTreeMap::new();
    for one in series {
        let Some(found) = verdict(definition, one) else { continue };
        let both = match verdicts.remove(&one.key) {
            Some(known) => worse(known, found),
            None => found,
        };
        verdicts.insert(one.key.clone(), both);
    }
    verdicts
}

/// The groups in the order in which they are taken: first those that have a state, then the others that give a reason,
/// the furthest out first.
fn in_order_of_urgency(
    before: &State,
    mut given: BTreeMap<GroupKey, Verdict>,
    keeps_others: bool,
) -> Vec<(GroupKey, Verdict)> {
    let mut turn = Vec::new();
    for key in before.groups.keys() {
        match given.remove(key) {
            Some(verdict) => turn.push((key.clone(), verdict)),
            None if keeps_others => {}
            None if key.is_empty() => {
                turn.push((key.clone(), Verdict { reason: Reason::DataBack, ..data_gone() }))
            }
            None => turn.push((key.clone(), data_gone())),
        }
    }
    let mut others: Vec<_> = given.into_iter().filter(|(_, verdict)| verdict.is_positive).collect();
    others.sort_by(|(_, one), (_, other)| other.excess.total_cmp(&one.excess));
    turn.extend(others);
    turn
}

fn no_data() -> Verdict {
    Verdict { is_positive: true, value: 0.0, excess: f64::NEG_INFINITY, reason: Reason::NoData }
}

fn data_gone() -> Verdict {
    Verdict { is_positive: false, value: 0.0, excess: f64::NEG_INFINITY, reason: Reason::DataGone }
}

fn alert_state(is_open: bool) -> AlertState {
    if is_open { AlertState::Open } else { AlertState::Closed }
}

/// A run on its way through the groups.
struct Step<'a> {
    definition: &'a Definition,
    run: &'a Run,
    before: &'a State,
    groups: BTreeMap<GroupKey, GroupState>,
    opened: Vec<(GroupKey, Verdict)>,
    closed: Vec<(GroupKey, Verdict, String)>,
    still: Vec<(GroupKey, Verdict)>,
}

impl<'a> Step<'a> {
    fn new(definition: &'a Definition, run: &'a Run, before: &'a State) -> Self {
        let groups = before.groups.clone();
        Self { definition, run, before, groups, opened: Vec::new(), closed: Vec::new(), still: Vec::new() }
    }

    /// Alerts that open in one run are one incident: they are told by one message.
    fn incident(&self) -> String {
        format!("{}-{}", self.run.monitor, self.run.at.as_micros())
    }

    /// Moves one group on.
    fn take(&mut self, key: GroupKey, verdict: Verdict) {
        if !self.groups.contains_key(&key) && self.groups.len() >= GROUPS_MAX {
            return;
        }
        let runs_kept = self.definition.of_runs.max(self.definition.after_positives).clamp(1, RUNS_MAX);
        let needed = self.definition.after_positives.clamp(1, runs_kept) as usize;
        let mut group = self.groups.remove(&key).unwrap_or_default();
        group.runs.push(verdict.is_positive);
        let surplus = group.runs.len().saturating_sub(runs_kept as usize);
        group.runs.drain(..surplus);
        // What is not known counts as no reason, so that the runs before the first reason need not be known.
        let first = group.runs.iter().position(|is_positive| *is_positive).unwrap_or(group.runs.len());
        group.runs.drain(..first);
        let is_met = group.runs.iter().filter(|is_positive| **is_positive).count() >= needed;
        match (&group.open, is_met) {
            (None, true) if !group.is_held => {
                group.open = Some(OpenAlert { incident: self.incident(), since: self.run.at });
                self.opened.push((key.clone(), verdict));
            }
            (None, true) => {}
            (None, false) => group.is_held = false,
            (Some(_), true) => self.still.push((key.clone(), verdict)),
            (Some(open), false) => {
                self.closed.push((key.clone(), verdict, open.incident.clone()));
                group.open = None;
            }
        }
        let is_usual = group.open.is_none() && !group.is_held && group.runs.is_empty();
        if !is_usual {
            self.groups.insert(key, group);
        }
    }

    fn ended(self, whole: &Verdict, is_empty: bool) -> Outcome {
        let notifications = self.notifications();
        let checks = self.checks(whole, is_empty);
        let state = State {
            groups: self.groups,
            seen_to: Some(self.run.window.end),
            is_matching: false,
            failures: 0,
            ..self.before.clone()
        };
        Outcome { state, notifications, checks }
    }

    fn notifications(&self) -> Vec<Notification> {
        let mut notifications = Vec::new();
        let notification =
            |kind, incident: String, others, (group, verdict): (&GroupKey, &Verdict)| Notification {
                kind,
                incident,
                group: group.clone(),
                others,
                value: verdict.value,
                reason: verdict.reason.clone(),
                event: None,
            };
        if let Some((group, verdict)) = furthest(&self.opened) {
            notifications.push(notification(
                NotificationKind::Opened,
                self.incident(),
                self.opened.len() - 1,
                (group, verdict),
            ));
        } else if self.definition.notifies_every_run
            && let Some((group, verdict)) = furthest(&self.still)
            && let Some(open) = self.groups.get(group).and_then(|state| state.open.as_ref())
        {
            let others = self.still.len() - 1;
            notifications.push(notification(
                NotificationKind::Repeated,
                open.incident.clone(),
                others,
                (group, verdict),
            ));
        }
        if self.definition.skips_resolved {
            return notifications;
        }
        // An incident ends with the last of its groups.
        let open: BTreeSet<&str> =
            self.groups.values().filter_map(|group| Some(group.open.as_ref()?.incident.as_str())).collect();
        let mut ended: BTreeMap<&str, Vec<(&GroupKey, &Verdict)>> = BTreeMap::new();
        for (group, verdict, incident) in &self.closed {
            if !open.contains(incident.as_str()) {
                ended.entry(incident).or_default().push((group, verdict));
            }
        }
        for (incident, groups) in ended {
            notifications.push(notification(
                NotificationKind::Closed,
                incident.to_owned(),
                groups.len() - 1,
                groups[0],
            ));
        }
        notifications
    }

    fn checks(&self, whole: &Verdict, is_empty: bool) -> Vec<Check> {
        let is_open = self.groups.values().any(|group| group.open.is_some());
        let outcome = if is_empty { CheckOutcome::NoData } else { CheckOutcome::Evaluated };
        let mut checks = vec![Check {
            group: GroupKey::new(),
            state: alert_state(is_open),
            outcome,
            is_change: is_open != self.before.is_open(),
            value: (!is_empty).then_some(whole.value),
            reason: whole.reason.clone(),
        }];
        if !self.definition.notifies_by_group {
            return checks;
        }
        let opened = self.opened.iter().map(|(group, verdict)| (group, verdict, AlertState::Open, true));
        let closed = self.closed.iter().map(|(group, verdict, _)| (group, verdict, AlertState::Closed, true));
        let still = self.still.iter().map(|(group, verdict)| (group, verdict, AlertState::Open, false));
        let lines = opened.chain(closed).chain(still).filter(|(group, ..)| !group.is_empty());
        checks.extend(lines.take(GROUP_CHECKS_MAX).map(|(group, verdict, state, is_change)| Check {
            group: group.clone(),
            state,
            outcome,
            is_change,
            value: Some(verdict.value),
            reason: verdict.reason.clone(),
        }));
        checks
    }
}

fn furthest(groups: &[(GroupKey, Verdict)]) -> Option<(&GroupKey, &Verdict)> {
    let mut furthest: Option<(&GroupKey, &Verdict)> = None;
    for (group, verdict) in groups {
        if furthest.is_none_or(|(_, known)| verdict.excess.total_cmp(&known.excess).is_gt()) {
            furthest = Some((group, verdict));
        }
    }
    furthest
}

fn evaluate_events(definition: &Definition, before: &State, run: &Run, events: &[MatchedEvent]) -> Outcome {
    let mut state = before.clone();
    let mut events: Vec<&MatchedEvent> = events.iter().collect();
    events.sort_by(|one, other| (one.time, &one.id).cmp(&(other.time, &other.id)));
    let told = take_quota(&mut state, run.at, events.len());
    let mut notifications: Vec<Notification> =
        events[..told].iter().map(|event| event_notification(run, event)).collect();
    if definition.is_resolvable {
        state.open_events.extend(notifications.iter().map(|notification| notification.incident.clone()));
        let surplus = state.open_events.len().saturating_sub(OPEN_EVENTS_MAX);
        state.open_events.drain(..surplus);
    }
    let is_matching = !events.is_empty();
    let reason = match is_matching {
        true => Reason::Matched { count: events.len(), suppressed: events.len() - told },
        false => Reason::NoMatch,
    };
    #[expect(clippy::cast_precision_loss, reason = "a number of events for people")]
    let count = events.len() as f64;
    let check = Check {
        group: GroupKey::new(),
        state: alert_state(is_matching),
        outcome: CheckOutcome::Evaluated,
        is_change: is_matching != before.is_open(),
        value: Some(count),
        reason,
    };
    // Alerts of another kind, from before the definition was changed, end with it.
    let ended =
        std::mem::take(&mut state.groups).into_values().filter_map(|group| Some(group.open?.incident));
    if !definition.skips_resolved {
        notifications.extend(ended.collect::<BTreeSet<_>>().into_iter().map(changed_notification));
    }
    (state.seen_to, state.is_matching, state.failures) = (Some(run.window.end), is_matching, 0);
    Outcome { state, notifications, checks: vec![check] }
}

fn changed_notification(incident: String) -> Notification {
    let (kind, reason) = (NotificationKind::Closed, Reason::Changed);
    Notification { kind, incident, group: GroupKey::new(), others: 0, value: 0.0, reason, event: None }
}

fn event_notification(run: &Run, event: &MatchedEvent) -> Notification {
    let is_large = event.json.len() > EVENT_BYTES_MAX;
    Notification {
        kind: NotificationKind::Opened,
        incident: format!("{}-{}", run.monitor, event.id),
        group: GroupKey::new(),
        others: 0,
        value: 1.0,
        reason: if is_large { Reason::MatchedLarge } else { Reason::Matched { count: 1, suppressed: 0 } },
        event: (!is_large).then(|| event.json.clone()),
    }
}
