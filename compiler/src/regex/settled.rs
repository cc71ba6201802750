//! Whether a pattern has but one match at each place: POSIX takes the longest one, Perl the first that its alternatives
//! and repetitions come to.

use std::collections::HashSet;

use super::set::Set;
use super::{Pattern, PatternNode};

const AMBIGUOUS: &str = "it can match more and less at the same place, of which engines take the longest or the first: put \
                         the longer alternative by itself, or let no part begin with what the one before may go on with";
const LARGE: &str = "it has too many ways to match to see that engines agree about the extent of its matches";
const MIXED: &str = "it has repetitions that take much and ones that take little, which engines weigh differently";

/// Whether every engine finds the same extent for each match.
///
/// The pattern becomes a machine whose states are kept in the order in which Perl would try them. Perl's match is the
/// longest if whatever comes behind the end of a match in that order is nothing; it is the shortest if nothing comes in
/// front of it.
pub(crate) fn settled(pattern: &Pattern<'_>) -> Result<(), &'static str> {
    if pattern.root.is_nullable() {
        return Err("it also matches the empty text, whose matches engines count and replace in different ways");
    }
    let mut machine = Machine { states: vec![State::Match], groups: Vec::new() };
    machine.note_groups(&pattern.root);
    let start = machine.add(&pattern.root, 0)?;
    let ends = machine.ends(start)?;
    let uses = pattern.uses;
    match ends {
        _ if uses.back && ends.merges => Err(AMBIGUOUS),
        Ends { first: true, last: true, .. } => Ok(()),
        _ if uses.lazy && (uses.greedy || uses.choice) => Err(MIXED),
        Ends { first: true, .. } if uses.lazy => Ok(()),
        Ends { last: true, .. } if !uses.lazy => Ok(()),
        _ => Err(AMBIGUOUS),
    }
}

/// What holds of the ends of all matches.
#[derive(Clone, Copy)]
struct Ends {
    /// No other way is in front of one.
    first: bool,
    /// No other way is behind one.
    last: bool,
    /// Two ways come to the same place of the pattern.
    merges: bool,
}

enum State {
    One(Set),
    Any,
    /// Any of these without a character, the first one first.
    Jump(Vec<usize>),
    Match,
}

struct Machine<'p> {
    states: Vec<State>,
    groups: Vec<(u32, &'p PatternNode<'p>)>,
}

impl<'p> Machine<'p> {
    fn note_groups(&mut self, node: &'p PatternNode<'p>) {
        match node {
            PatternNode::Group(inner, number) => {
                self.groups.extend(number.map(|number| (number, &**inner)));
                self.note_groups(inner);
            }
            PatternNode::Repeat { inner, .. } => self.note_groups(inner),
            PatternNode::Sequence(items) | PatternNode::Choice(items) => {
                items.iter().for_each(|item| self.note_groups(item))
            }
            _ => {}
        }
    }

    fn push(&mut self, state: State) -> Result<usize, &'static str> {
        if self.states.len() > 8_000 {
            return Err(LARGE);
        }
        self.states.push(state);
        Ok(self.states.len() - 1)
    }

    /// The states of a part, in front of another state.
    fn add(&mut self, node: &'p PatternNode<'p>, next: usize) -> Result<usize, &'static str> {
        match node {
            PatternNode::Set(set, _) => {
                let one = self.push(State::One(set.clone()))?;
                self.push_to(one, next)
            }
            PatternNode::Any => {
                let any = self.push(State::Any)?;
                self.push_to(any, next)
            }
            // What matches a place only takes ways away, at all states of that place alike.
            PatternNode::Start | PatternNode::End | PatternNode::Border { .. } | PatternNode::Look { .. } => Ok(next),
            PatternNode::Group(inner, _) => self.add(inner, next),
            PatternNode::Back(number) => {
                let group = self.groups.iter().find(|group| group.0 == *number).map(|group| group.1);
                group.map_or(Ok(next), |group| self.add(group, next))
            }
            PatternNode::Sequence(items) => items.iter().rev().try_fold(next, |next, item| self.add(item, next)),
            PatternNode::Choice(items) => {
                let ways = items.iter().map(|item| self.add(item, next)).collect::<Result<_, _>>()?;
                self.push(State::Jump(ways))
            }
            PatternNode::Repeat { inner, least, most, lazy } => {
                let order = |inside, after| if *lazy { vec![after, inside] } else { vec![inside, after] };
                let mut at = next;
                match most {
                    None => {
                        at = self.push(State::Jump(Vec::new()))?;
                        let inside = self.add(inner, at)?;
                        if let Some(state) = self.states.get_mut(at) {
                            *state = State::Jump(order(inside, next));
                        }
                    }
                    Some(most) => {
                        for _ in *least..*most {
                            let inside = self.add(inner, at)?;
                            at = self.push(State::Jump(order(inside, next)))?;
                        }
                    }
                }
                (0..*least).try_fold(at, |at, _| self.add(inner, at))
            }
        }
    }

    /// A state that takes a character is followed by a jump to what comes next.
    fn push_to(&mut self, state: usize, next: usize) -> Result<usize, &'static str> {
        self.push(State::Jump(vec![next]))?;
        Ok(state)
    }

    /// Goes through all lists of states that a text can lead to.
    fn ends(&self, start: usize) -> Result<Ends, &'static str> {
        let mut ends = Ends { first: true, last: true, merges: false };
        let alphabet = self.alphabet();
        let first = self.closure([start], &mut ends);
        let mut seen = HashSet::from([first.clone()]);
        let mut open = vec![first];
        while let Some(list) = open.pop() {
            if let Some(place) = list.iter().position(|state| *state == 0) {
                ends.first &= place == 0;
                ends.last &= place + 1 == list.len();
            }
            for code in &alphabet {
                let moved = list.iter().filter(|state| match self.states.get(**state) {
                    Some(State::One(set)) => set.contains(*code),
                    Some(State::Any) => true,
                    _ => false,
                });
                let next = self.closure(moved.map(|state| state + 1), &mut ends);
                if !next.is_empty() && !seen.contains(&next) {
                    if seen.len() > 1_000 {
                        return Err(LARGE);
                    }
                    seen.insert(next.clone());
                    open.push(next);
                }
            }
        }
        Ok(ends)
    }

    /// The states that take a character or end a match, in their order.
    fn closure(&self, states: impl IntoIterator<Item = usize>, ends: &mut Ends) -> Vec<usize> {
        let (mut list, mut seen) = (Vec::new(), HashSet::new());
        for state in states {
            let mut stack = vec![state];
            while let Some(state) = stack.pop() {
                if !seen.insert(state) {
                    ends.merges = true;
                    continue;
                }
                match self.states.get(state) {
                    Some(State::Jump(ways)) => stack.extend(ways.iter().rev()),
                    Some(_) => list.push(state),
                    None => {}
                }
            }
        }
        list
    }

    /// A character of each kind that the pattern tells apart.
    fn alphabet(&self) -> Vec<u32> {
        let mut codes = vec![1];
        for state in &self.states {
            if let State::One(set) = state {
                codes.extend(set.ranges().iter().flat_map(|&(from, to)| [from, to + 1]));
            }
        }
        codes.sort_unstable();
        codes.dedup();
        codes
    }
}
