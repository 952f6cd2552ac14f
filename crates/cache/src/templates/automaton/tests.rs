//! Both sides of what an automaton may take: beyond each limit it says that nothing is known, and never anything else.

use super::*;

const HEX: u8 = letters::DIGITS | letters::LOWER_HEX;

/// An expression that remembers of each of the last letters whether it was the one that a match begins with: twice the
/// states for each of them. What it ends with is in no template.
fn remembering(letters: usize) -> Automaton {
    Automaton::new(&format!("a[0-9a-f]{{{letters}}}-")).unwrap()
}

/// A template with so many variables, each for itself.
fn holes(count: usize) -> Vec<u8> {
    [HOLE, b' '].repeat(count)
}

#[test]
fn a_template_is_followed_through_so_many_states() {
    for letters in 1..=9 {
        let states = 1 << (letters + 1);
        let wanted = if states <= STATES_MAX { Verdict::None } else { Verdict::UNKNOWN };
        assert_eq!(remembering(letters).verdict(&holes(1), HEX), wanted, "{states} states");
    }
}

#[test]
fn templates_are_followed_for_so_many_steps() {
    let mut automaton = remembering(4);
    let template = holes(5_000);
    while !automaton.is_spent {
        let verdict = automaton.verdict(&template, HEX);
        let wanted = if automaton.steps <= STEPS_MAX { Verdict::None } else { Verdict::UNKNOWN };
        assert_eq!(verdict, wanted, "{} steps", automaton.steps);
    }
    assert!(automaton.steps > STEPS_MAX);
    assert_eq!(automaton.verdict(&holes(1), HEX), Verdict::UNKNOWN);
}

#[test]
fn templates_are_followed_while_states_are_remembered() {
    let mut automaton = remembering(60);
    let mut number = 1_u64;
    let mut followed = 0;
    while !automaton.is_spent {
        let letters = (0..2_000).map(|_| {
            number = number.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            b"0123456789abcdef"[(number >> 60) as usize]
        });
        let template: Vec<u8> = letters.collect();
        let verdict = automaton.verdict(&template, HEX);
        let wanted = if automaton.is_spent { Verdict::UNKNOWN } else { Verdict::None };
        assert_eq!(verdict, wanted, "{followed} templates");
        followed += 1;
        assert!(followed < 2_000, "states of {followed} templates are remembered");
    }
    assert!(followed > 1 && automaton.steps <= STEPS_MAX);
}

#[test]
fn very_large_expressions_have_no_automaton() {
    for (pattern, has_automaton) in
        [(r"a\w{5}b", true), (r"(?:\w{4}){4}", true), (r"(?:\w{100}){100}", false)]
    {
        assert_eq!(Automaton::new(pattern).is_some(), has_automaton, "{pattern}");
    }
}
