//! Plans: what an organisation can subscribe to. What a plan allows is said by the licence that comes with it.

use crate::string_enum::string_enum;

string_enum! (
    /// What the organisation has subscribed to.
    Plan {
        Personal = "personal",
        BasicDirect = "basicDirect",
        TeamMonthlyDirect = "teamMonthlyDirect",
        TeamMonthlyAws = "teamMonthlyAws",
        ProviderCloud = "providerCloud" | "axiomCloud",
        TeamPlus = "teamPlus",
        Enterprise = "enterprise",
        Comped = "comped",
    }
);
