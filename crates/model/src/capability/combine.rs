//! Two sets of capabilities become one: what both of them allow, and what either of them does. A grant on every name
//! counts for each single name, so that the result allows exactly what the two decisions together would.

use std::collections::{BTreeMap, BTreeSet};

use super::{ANY, Action, Capabilities, Grants, holds};

impl Capabilities {
    /// What is allowed here and in the other.
    pub fn intersection(&self, other: &Self) -> Self {
        Self {
            org: both(&self.org, &other.org),
            dataset: both_named(&self.dataset, &other.dataset),
            view: both_named(&self.view, &other.view),
        }
    }

    /// What is allowed here, or in the other, or in both.
    pub fn union(&self, other: &Self) -> Self {
        Self {
            org: either(&self.org, &other.org),
            dataset: either_named(&self.dataset, &other.dataset),
            view: either_named(&self.view, &other.view),
        }
    }
}

type Named<Area> = BTreeMap<String, Grants<Area>>;

fn both<Area: Ord + Copy>(left: &Grants<Area>, right: &Grants<Area>) -> Grants<Area> {
    keep(left, |area, action| holds(right, area, action))
}

fn either<Area: Ord + Copy>(left: &Grants<Area>, right: &Grants<Area>) -> Grants<Area> {
    let mut grants = left.clone();
    for (&area, actions) in right {
        let held = grants.entry(area).or_default();
        for &action in actions {
            if !held.contains(&action) {
                held.push(action);
            }
        }
    }
    grants
}

fn both_named<Area: Ord + Copy>(left: &Named<Area>, right: &Named<Area>) -> Named<Area> {
    let on_every = both(&under(left, ANY), &under(right, ANY));
    let mut named = Named::new();
    for name in names(left, right).filter(|name| *name != ANY) {
        let grants = both(&under(left, name), &under(right, name));
        insert(&mut named, name, keep(&grants, |area, action| !holds(&on_every, area, action)));
    }
    insert(&mut named, ANY, on_every);
    named
}

fn either_named<Area: Ord + Copy>(left: &Named<Area>, right: &Named<Area>) -> Named<Area> {
    let none = Grants::new();
    let mut named = Named::new();
    for name in names(left, right) {
        insert(&mut named, name, either(left.get(name).unwrap_or(&none), right.get(name).unwrap_or(&none)));
    }
    named
}

/// All that is granted on a name, by itself or with every other one.
fn under<Area: Ord + Copy>(grants: &Named<Area>, name: &str) -> Grants<Area> {
    let none = Grants::new();
    either(grants.get(ANY).unwrap_or(&none), grants.get(name).unwrap_or(&none))
}

fn names<'a, Area>(left: &'a Named<Area>, right: &'a Named<Area>) -> impl Iterator<Item = &'a str> {
    left.keys().chain(right.keys()).map(String::as_str).collect::<BTreeSet<&str>>().into_iter()
}

fn keep<Area: Ord + Copy>(grants: &Grants<Area>, rule: impl Fn(Area, Action) -> bool) -> Grants<Area> {
    let kept = |(&area, actions): (&Area, &Vec<Action>)| {
        (area, actions.iter().copied().filter(|&action| rule(area, action)).collect::<Vec<Action>>())
    };
    grants.iter().map(kept).filter(|(_, actions)| !actions.is_empty()).collect()
}

fn insert<Area>(named: &mut Named<Area>, name: &str, grants: Grants<Area>) {
    if !grants.is_empty() {
        named.insert(name.to_owned(), grants);
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::super::Action::{Create, Delete, Read};
    use super::super::{DatasetArea, OrgArea, ViewArea};
    use super::*;

    const NAMES: &[&str] = &[ANY, "logs", "traces"];

    fn share(name: &str, actions: &[Action]) -> Capabilities {
        let grants = Grants::from([(DatasetArea::Share, actions.to_vec())]);
        Capabilities { dataset: BTreeMap::from([(name.to_owned(), grants)]), ..Capabilities::default() }
    }

    fn grants<Area: Copy + Ord + std::fmt::Debug + 'static>(
        areas: &'static [Area],
    ) -> impl Strategy<Value = Grants<Area>> {
        let single = (select(areas), select(Action::ALL));
        vec(single, 0..6).prop_map(|pairs| {
            let mut grants = Grants::new();
            for (area, action) in pairs {
                grants = either(&grants, &Grants::from([(area, vec![action])]));
            }
            grants
        })
    }

    fn named<Area: Copy + Ord + std::fmt::Debug + 'static>(
        areas: &'static [Area],
    ) -> impl Strategy<Value = Named<Area>> {
        vec((select(NAMES), grants(areas)), 0..4)
            .prop_map(|pairs| pairs.into_iter().map(|(name, grants)| (name.to_owned(), grants)).collect())
    }

    fn capabilities() -> impl Strategy<Value = Capabilities> {
        (grants(OrgArea::ALL), named(DatasetArea::ALL), named(ViewArea::ALL))
            .prop_map(|(org, dataset, view)| Capabilities { org, dataset, view })
    }

    /// Every decision about every area, on the names that are granted and on one that is not.
    fn decisions(held: &Capabilities) -> Vec<bool> {
        let mut answers = Vec::new();
        for &action in Action::ALL {
            answers.extend(OrgArea::ALL.iter().map(|&area| held.allows_org(area, action)));
            for name in NAMES.iter().copied().chain(["other"]) {
                answers.extend(DatasetArea::ALL.iter().map(|&area| held.allows_dataset(name, area, action)));
                answers.extend(ViewArea::ALL.iter().map(|&area| held.allows_view(name, area, action)));
            }
        }
        answers
    }

    #[test]
    fn what_both_allow_of_every_name_and_of_one_is_that_one() {
        let every = share(ANY, &[Create]);
        let logs = share("logs", &[Create, Read]);
        assert_eq!(every.intersection(&logs), share("logs", &[Create]));
        assert_eq!(logs.intersection(&every), share("logs", &[Create]));
        assert_eq!(logs.intersection(&share("traces", &[Create])), Capabilities::default());
        assert_eq!(every.intersection(&share(ANY, &[Delete])), Capabilities::default());
    }

    proptest! {
        #[test]
        fn an_intersection_allows_what_both_allow(left in capabilities(), right in capabilities()) {
            let result = left.intersection(&right);
            let expected: Vec<bool> =
                decisions(&left).into_iter().zip(decisions(&right)).map(|(left, right)| left && right).collect();
            prop_assert_eq!(decisions(&result), expected);
            prop_assert!(left.contains(&result) && right.contains(&result));
        }

        #[test]
        fn a_union_allows_what_either_allows(left in capabilities(), right in capabilities()) {
            let result = left.union(&right);
            let expected: Vec<bool> =
                decisions(&left).into_iter().zip(decisions(&right)).map(|(left, right)| left || right).collect();
            prop_assert_eq!(decisions(&result), expected);
            prop_assert!(result.contains(&left) && result.contains(&right));
        }

        #[test]
        fn everything_and_nothing_are_neutral(held in capabilities()) {
            let all = Capabilities::where_allowed(|_, _| true, |_, _| true, |_, _| true);
            prop_assert_eq!(decisions(&held.union(&Capabilities::default())), decisions(&held));
            prop_assert_eq!(held.intersection(&Capabilities::default()), Capabilities::default());
            prop_assert!(held.contains(&held.intersection(&all)));
        }
    }
}
