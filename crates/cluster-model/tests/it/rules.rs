//! The rules of the protocol. Each is a switch, so that a test can show what goes wrong without it; what a rule is for
//! is said in decision 0037 beside the name of that test.

/// A rule that all processes follow, unless a test leaves it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    AnswerWaitsForObject,
    AnswerWaitsForEpoch,
    EpochIsReadAfterPut,
    EpochIsTakenNotAssumed,
    ObjectsNameTheirEpoch,
    RecordsCountByTheirObject,
    MarksPerDataset,
    MarksPerNode,
    MarksPerEpoch,
    ClaimBeforeAppend,
    OneAttemptAtATime,
    ClaimStandsUntilAdoption,
    PublishingSettlesClaims,
    FlushStopsAtGap,
    FlushIsOneTransaction,
    FlushComparesMark,
    LostAnswersAreLookedUp,
    FlushChecksEpoch,
    RaiseBeforeList,
    AdoptionReadsMarksAfterRaise,
    AdoptionTakesWhatIsAboveMarks,
    AdoptionIsOnce,
    AdoptionChecksEpoch,
    MergeComparesInputs,
    MergeChecksEpoch,
    OrphansWaitForEndOfEpoch,
    ObjectsStayForGrace,
    ReadersAskAllNodes,
    SilentNodesAreReadFromObjects,
    RaisedLogsAreReadFromObjects,
    FramesAboveMarks,
    ReleasedFramesAreStale,
    SegmentsAndMarksOfOneCommit,
    ReadersLookAtTheCounter,
    TheCounterCountsRaises,
    TheCounterCountsAdoptions,
    ReadersLookLast,
    AnswersHaveAnAge,
}

impl Rule {
    pub(super) const ALL: [Self; 38] = [
        Self::AnswerWaitsForObject,
        Self::AnswerWaitsForEpoch,
        Self::EpochIsReadAfterPut,
        Self::EpochIsTakenNotAssumed,
        Self::ObjectsNameTheirEpoch,
        Self::RecordsCountByTheirObject,
        Self::MarksPerDataset,
        Self::MarksPerNode,
        Self::MarksPerEpoch,
        Self::ClaimBeforeAppend,
        Self::OneAttemptAtATime,
        Self::ClaimStandsUntilAdoption,
        Self::PublishingSettlesClaims,
        Self::FlushStopsAtGap,
        Self::FlushIsOneTransaction,
        Self::FlushComparesMark,
        Self::LostAnswersAreLookedUp,
        Self::FlushChecksEpoch,
        Self::RaiseBeforeList,
        Self::AdoptionReadsMarksAfterRaise,
        Self::AdoptionTakesWhatIsAboveMarks,
        Self::AdoptionIsOnce,
        Self::AdoptionChecksEpoch,
        Self::MergeComparesInputs,
        Self::MergeChecksEpoch,
        Self::OrphansWaitForEndOfEpoch,
        Self::ObjectsStayForGrace,
        Self::ReadersAskAllNodes,
        Self::SilentNodesAreReadFromObjects,
        Self::RaisedLogsAreReadFromObjects,
        Self::FramesAboveMarks,
        Self::ReleasedFramesAreStale,
        Self::SegmentsAndMarksOfOneCommit,
        Self::ReadersLookAtTheCounter,
        Self::TheCounterCountsRaises,
        Self::TheCounterCountsAdoptions,
        Self::ReadersLookLast,
        Self::AnswersHaveAnAge,
    ];
}

/// All rules, or all but one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rules {
    without: Option<Rule>,
}

impl Rules {
    pub(super) fn without(rule: Rule) -> Self {
        Self { without: Some(rule) }
    }

    pub(super) fn hold(self, rule: Rule) -> bool {
        self.without != Some(rule)
    }
}
