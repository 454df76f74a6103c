//! Order of sending: of all trials that share a prefix one is sent first, the others once it is answered, so that they
//! find the prefix in the server's cache. Trials of other stories use the time between.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::prefixes::SharedPrefixes;

/// A shared prefix at a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cache {
    Cold,
    /// The first trial with it is in flight.
    Filling,
    Warm,
}

/// Trials of a story that wait, in the order of the plan.
struct Story {
    trials: VecDeque<usize>,
    /// The server that has been sent some of them.
    server: Option<usize>,
}

/// A server's work.
struct Load {
    in_flight: usize,
    up: bool,
    caches: Vec<Cache>,
}

/// Trials that wait, are in flight, or are done, at one or several servers.
///
/// A trial waits only for others in flight, so that one that fails lets the next go first. A story stays with its
/// server; one that was not begun goes to the server with the fewest trials in flight.
pub(super) struct Schedule<'a> {
    prefixes: &'a SharedPrefixes,
    stories: BTreeMap<usize, Story>,
    /// Trials to ask elsewhere, and the servers that did not answer them.
    again: Vec<(usize, Vec<usize>)>,
    waiting: usize,
    loads: Vec<Load>,
}

impl<'a> Schedule<'a> {
    /// Creates the schedule of these trials, by story in the order of the plan.
    pub fn new(stories: impl Iterator<Item = Vec<usize>>, prefixes: &'a SharedPrefixes, servers: usize) -> Self {
        let begun = stories.enumerate().filter(|(_, trials)| !trials.is_empty());
        let stories: BTreeMap<usize, Story> =
            begun.map(|(at, trials)| (at, Story { trials: trials.into(), server: None })).collect();
        let waiting = stories.values().map(|story| story.trials.len()).sum();
        let load = || Load { in_flight: 0, up: true, caches: vec![Cache::Cold; prefixes.count] };
        let loads = std::iter::repeat_with(load).take(servers).collect();
        Schedule { prefixes, stories, again: Vec::new(), waiting, loads }
    }

    /// Returns the trial to send to a server now, if any.
    pub fn next(&mut self, server: usize) -> Option<usize> {
        if !self.loads[server].up {
            return None;
        }
        let free = |trial: &usize| !self.waits(*trial, server);
        let again = self.again.iter().position(|(trial, tried)| !tried.contains(&server) && free(trial));
        let trial = match again {
            Some(at) => self.again.remove(at).0,
            None => {
                let others = self.loads.iter().filter(|load| load.up).map(|load| load.in_flight);
                let begins = others.min().is_none_or(|fewest| self.loads[server].in_flight <= fewest);
                let mine = |story: &Story| story.server.map_or(begins, |its| its == server);
                let (number, at) = self
                    .stories
                    .iter()
                    .filter(|(_, story)| mine(story))
                    .find_map(|(&number, story)| Some((number, story.trials.iter().position(free)?)))?;
                let story = self.stories.get_mut(&number)?;
                story.server = Some(server);
                let trial = story.trials.remove(at)?;
                if story.trials.is_empty() {
                    self.stories.remove(&number);
                }
                trial
            }
        };
        self.waiting -= 1;
        self.loads[server].in_flight += 1;
        for &prefix in self.prefixes_of(trial) {
            let cache = &mut self.loads[server].caches[prefix];
            if *cache == Cache::Cold {
                *cache = Cache::Filling;
            }
        }
        Some(trial)
    }

    /// Notes that a trial is no longer in flight; if it was not answered, the next one with its prefixes goes first.
    pub fn ended(&mut self, trial: usize, server: usize, answered: bool) {
        let found = if answered { Cache::Warm } else { Cache::Cold };
        self.loads[server].in_flight -= 1;
        for &prefix in self.prefixes_of(trial) {
            let cache = &mut self.loads[server].caches[prefix];
            // No other trial fills it at the same time.
            if *cache == Cache::Filling {
                *cache = found;
            }
        }
    }

    /// Sends a trial to another server than these, which did not answer it. `false` if there is none.
    pub fn again(&mut self, trial: usize, tried: Vec<usize>) -> bool {
        let other = (0..self.loads.len()).any(|server| self.loads[server].up && !tried.contains(&server));
        if other {
            self.again.push((trial, tried));
            self.waiting += 1;
        }
        other
    }

    /// Sends nothing more to a server; its stories go on at others. `false` if it was the last one, which stays.
    pub fn leave_out(&mut self, server: usize) -> bool {
        if self.loads.iter().filter(|load| load.up).count() < 2 || !self.loads[server].up {
            return false;
        }
        self.loads[server].up = false;
        for story in self.stories.values_mut().filter(|story| story.server == Some(server)) {
            story.server = None;
        }
        // What no server is left for is asked once more.
        let up = |server: &usize| self.loads[*server].up;
        let left: Vec<usize> = (0..self.loads.len()).filter(up).collect();
        for (_, tried) in self.again.iter_mut().filter(|(_, tried)| left.iter().all(|server| tried.contains(server))) {
            tried.clear();
        }
        true
    }

    /// Whether there are several servers.
    pub fn has_several(&self) -> bool {
        self.loads.len() > 1
    }

    /// Whether a server is still used.
    pub fn is_up(&self, server: usize) -> bool {
        self.loads[server].up
    }

    /// Number of trials in flight.
    pub fn in_flight(&self) -> usize {
        self.loads.iter().map(|load| load.in_flight).sum()
    }

    /// Number of trials that wait.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// Whether nothing waits and nothing is in flight.
    pub fn is_over(&self) -> bool {
        self.waiting == 0 && self.in_flight() == 0
    }

    fn waits(&self, trial: usize, server: usize) -> bool {
        let caches = &self.loads[server].caches;
        self.prefixes_of(trial).iter().any(|&prefix| caches[prefix] == Cache::Filling)
    }

    fn prefixes_of(&self, trial: usize) -> &'a [usize] {
        self.prefixes.of_trial.get(trial).map_or(&[], Vec::as_slice)
    }
}

/// A schedule shared by the threads that send.
pub(super) struct SharedSchedule<'a> {
    schedule: Mutex<Schedule<'a>>,
    /// Told whenever another trial may be sent.
    changed: Condvar,
    stop: AtomicBool,
}

impl<'a> SharedSchedule<'a> {
    pub fn new(schedule: Schedule<'a>) -> Self {
        SharedSchedule { schedule: Mutex::new(schedule), changed: Condvar::new(), stop: AtomicBool::new(false) }
    }

    fn lock(&self) -> MutexGuard<'_, Schedule<'a>> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next trial to send to a server; `None` if there is none any more.
    pub fn take(&self, server: usize) -> Option<usize> {
        let mut schedule = self.lock();
        loop {
            if self.stop.load(Ordering::Relaxed) || !schedule.is_up(server) || schedule.is_over() {
                return None;
            }
            if let Some(trial) = schedule.next(server) {
                // Another server may have fewer in flight now.
                if schedule.has_several() {
                    self.changed.notify_all();
                }
                return Some(trial);
            }
            schedule = self.changed.wait(schedule).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Changes the schedule, and lets waiting threads look at it again.
    pub fn change<T>(&self, change: impl FnOnce(&mut Schedule<'a>) -> T) -> T {
        let changed = change(&mut self.lock());
        self.changed.notify_all();
        changed
    }

    /// Has no more sent.
    pub fn stop(&self) {
        let _schedule = self.lock();
        self.stop.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Returns how many trials are in flight, and how many wait.
    pub fn counts(&self) -> (usize, usize) {
        let schedule = self.lock();
        (schedule.in_flight(), schedule.waiting())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::Rng;

    use super::super::prefixes::{BLOCK, PrefixFinder};
    use super::*;
    use crate::seed::seeded;

    /// Stories of trials; each trial is its prompt's blocks.
    struct Plan {
        stories: Vec<Vec<usize>>,
        prompts: Vec<Vec<u32>>,
        prefixes: SharedPrefixes,
    }

    impl Plan {
        /// `stories` of 30 blocks behind the same 8, with `questions` each, in 3 orders of their options.
        fn new(stories: u32, questions: u32) -> Self {
            let (mut plan, mut finder) = (Vec::new(), PrefixFinder::default());
            let mut prompts = Vec::new();
            for story in 0..stories {
                let mut trials = Vec::new();
                for question in 0..questions {
                    for order in 0..3 {
                        let text = (0..8).chain((0..30).map(|block| 1000 * (story + 1) + block));
                        let own = (0..3).map(|block| 1_000_000 + 10 * question + block).chain([2_000_000 + order]);
                        let blocks: Vec<u32> = text.chain(own).collect();
                        let ids: Vec<u32> =
                            blocks.iter().flat_map(|&block| std::iter::repeat_n(block, BLOCK)).collect();
                        finder.add(prompts.len(), &[ids], "");
                        trials.push(prompts.len());
                        prompts.push(blocks);
                    }
                }
                plan.push(trials);
            }
            let prefixes = finder.found(prompts.len());
            Plan { stories: plan, prompts, prefixes }
        }

        fn schedule(&self, servers: usize) -> Schedule<'_> {
            Schedule::new(self.stories.iter().cloned(), &self.prefixes, servers)
        }
    }

    /// Answers with `slots` in flight, each after a random time, and `fails` saying which are not answered; returns
    /// the order of sending and the share of shared tokens that were in the cache.
    fn simulated(plan: &Plan, slots: usize, leaders: bool, fails: impl Fn(usize) -> bool) -> (Vec<usize>, f64) {
        let none = SharedPrefixes::default();
        let prefixes = if leaders { &plan.prefixes } else { &none };
        let mut schedule = Schedule::new(plan.stories.iter().cloned(), prefixes, 1);
        let (mut sent, mut flying, mut cache) = (Vec::new(), Vec::new(), HashSet::new());
        let (mut found, mut now) = (0, 0);
        while !schedule.is_over() {
            while flying.len() < slots
                && let Some(trial) = schedule.next(0)
            {
                let known = |end: &usize| cache.contains(&plan.prompts[trial][..*end]);
                let most = plan.prompts[trial].len() - 1;
                found += (1..=most).take_while(known).count() * BLOCK;
                let time = seeded(7, "answer", trial).random_range(90..110);
                flying.push((now + time, trial));
                sent.push(trial);
            }
            flying.sort_unstable();
            let (ended, trial) = flying.remove(0);
            now = ended;
            let answered = !fails(trial);
            schedule.ended(trial, 0, answered);
            if answered {
                let prompt = &plan.prompts[trial];
                cache.extend((1..=prompt.len()).map(|end| &prompt[..end]));
            }
        }
        (sent, found as f64 / plan.prefixes.cached.iter().sum::<usize>() as f64)
    }

    #[test]
    fn siblings_find_their_prefix_in_the_cache() {
        let plan = Plan::new(60, 4);
        for slots in [8, 32] {
            let (before, after) = (simulated(&plan, slots, false, |_| false), simulated(&plan, slots, true, |_| false));
            assert!(before.1 < 0.75, "{slots}: {}", before.1);
            assert!(after.1 > 0.99, "{slots}: {}", after.1);
            // Every trial is sent once.
            let mut sent = after.0;
            sent.sort_unstable();
            assert!(sent.into_iter().eq(0..plan.prompts.len()));
        }
    }

    #[test]
    fn one_at_a_time_is_the_order_of_the_plan() {
        let plan = Plan::new(5, 3);
        let (sent, found) = simulated(&plan, 1, true, |trial| trial == 0);
        assert_eq!(sent, plan.stories.concat());
        assert!(found > 0.95, "{found}");
    }

    #[test]
    fn slots_are_filled_with_leaders_of_other_stories() {
        let plan = Plan::new(12, 2);
        let mut schedule = plan.schedule(1);
        // All stories begin with the same instructions, which one trial sends first.
        assert_eq!((schedule.next(0), schedule.next(0)), (Some(0), None));
        schedule.ended(0, 0, true);
        let next: Vec<usize> = std::iter::from_fn(|| schedule.next(0)).collect();
        // The other orders of its question, the other question, and one of each other story.
        assert_eq!(next[..3], [1, 2, 3]);
        assert_eq!(next[3..], (1..12).map(|story| 6 * story).collect::<Vec<_>>());
        assert_eq!((schedule.in_flight(), schedule.waiting()), (14, 72 - 15));
    }

    #[test]
    fn a_leader_that_fails_is_followed_by_the_next() {
        let plan = Plan::new(1, 1);
        let mut schedule = plan.schedule(1);
        assert_eq!((schedule.next(0), schedule.next(0)), (Some(0), None));
        schedule.ended(0, 0, false);
        assert_eq!((schedule.next(0), schedule.next(0)), (Some(1), None));
        schedule.ended(1, 0, true);
        assert_eq!(schedule.next(0), Some(2));
        // Nothing stays behind however many fail.
        let plan = Plan::new(20, 3);
        for slots in [1, 7, 64] {
            assert_eq!(simulated(&plan, slots, true, |trial| trial % 3 < 2).0.len(), plan.prompts.len());
        }
    }

    #[test]
    fn stories_are_spread_and_stay() {
        let plan = Plan::new(6, 1);
        let mut schedule = plan.schedule(2);
        assert_eq!((schedule.next(0), schedule.next(0)), (Some(0), None), "the other server has less to do");
        assert_eq!(schedule.next(1), Some(3), "each server has a cache of its own");
        schedule.ended(0, 0, true);
        assert_eq!((schedule.next(0), schedule.next(0)), (Some(1), Some(2)));
        assert_eq!(schedule.next(1), None, "its leader is not answered yet");
        schedule.ended(3, 1, true);
        assert_eq!((schedule.next(1), schedule.next(1)), (Some(4), Some(5)));
        // A server that fails leaves its trials to the others.
        assert!(schedule.leave_out(1) && !schedule.is_up(1) && !schedule.leave_out(0));
        for trial in [4, 5] {
            schedule.ended(trial, 1, false);
            assert!(schedule.again(trial, vec![1]));
        }
        assert_eq!(schedule.next(1), None);
        let mut rest = Vec::new();
        let mut flying = vec![1, 2];
        while !schedule.is_over() {
            while let Some(trial) = schedule.next(0) {
                rest.push(trial);
                flying.push(trial);
            }
            schedule.ended(flying.remove(0), 0, true);
        }
        rest.sort_unstable();
        assert!(rest.into_iter().eq(4..18));
    }

    #[test]
    fn a_trial_that_no_server_answered_is_not_asked_for_ever() {
        let plan = Plan::new(1, 1);
        let mut schedule = plan.schedule(2);
        assert_eq!(schedule.next(0), Some(0));
        schedule.ended(0, 0, false);
        assert!(schedule.again(0, vec![0]));
        assert_eq!((schedule.next(0), schedule.next(1)), (Some(1), Some(0)));
        schedule.ended(0, 1, false);
        assert!(!schedule.again(0, vec![0, 1]));
        // It waits for a server that goes: the last one is asked once more.
        schedule.ended(1, 0, false);
        assert!(schedule.again(1, vec![0]) && schedule.leave_out(1));
        assert_eq!(schedule.next(0), Some(1));
    }
}
