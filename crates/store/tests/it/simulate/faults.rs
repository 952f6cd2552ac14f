//! What can go wrong with a call, and when it does. What a fault means for a call is decided by what the call does: a
//! sync cannot be done by half, and nothing comes late to a disk.

use super::dice::Dice;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It fails and has done nothing.
    Before,
    /// It fails and was done: the answer is lost.
    After,
    /// It fails and was done by half.
    Half,
    /// It fails and is done later.
    Late,
    /// There is no space left.
    Full,
    /// The process ends before it is done.
    CrashBefore,
    /// The process ends when it was done.
    CrashAfter,
}

impl Fault {
    fn is_crash(self) -> bool {
        matches!(self, Self::CrashBefore | Self::CrashAfter)
    }
}

/// What is done wrong on purpose, to prove that it is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sabotage {
    /// A sync of a file does nothing, and says that it did.
    Syncs,
    /// A sync of a folder does.
    FolderSyncs,
    /// An object that was put is not there.
    Puts,
    /// An object that was deleted is.
    Deletions,
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Go,
    /// It goes on when something else was done in between.
    Pause,
    Fail(Fault),
    /// Its process has ended: nothing is done any more, and nobody answers.
    Dead,
}

/// What is to go wrong during one piece of work.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// From which call on, how many in a row, and how.
    pub(super) fault: Option<(u64, u64, Fault)>,
    /// At which call, or the next one that can wait, something else comes in between.
    pub(super) pause: Option<u64>,
    /// Whether the disk fails only by the end of the process.
    pub(super) spares_disk: bool,
}

impl Plan {
    pub(super) fn by(dice: &Dice) -> Self {
        const FAULTS: [Fault; 9] = [
            Fault::Before,
            Fault::After,
            Fault::After,
            Fault::Half,
            Fault::Late,
            Fault::Full,
            Fault::CrashBefore,
            Fault::CrashBefore,
            Fault::CrashAfter,
        ];
        let mut plan = Self::default();
        if dice.one_in(2) {
            let fault = *dice.pick(&FAULTS).unwrap_or(&Fault::Before);
            // One that lasts meets the calls that are to make up for the first.
            let times = if dice.one_in(4) { 1 + dice.below(6) } else { 1 };
            plan.fault = Some((dice.skewed(5), times, fault));
        }
        if dice.one_in(4) {
            plan.pause = Some(dice.skewed(4));
        }
        plan
    }

    /// What happens to the call with this number.
    pub(super) fn at(&mut self, call: u64, can_wait: bool, is_disk: bool) -> Verdict {
        if let Some((first, times, fault)) = self.fault
            && (first..first + times).contains(&call)
            && (fault.is_crash() || !(is_disk && self.spares_disk))
        {
            return Verdict::Fail(fault);
        }
        if can_wait && self.pause.is_some_and(|at| at <= call) {
            self.pause = None;
            return Verdict::Pause;
        }
        Verdict::Go
    }
}
