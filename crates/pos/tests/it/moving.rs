//! Lines that go from one tab to another.

use racun_pos::{AppendId, LineChoice, Moved, Moving, Naming, PosError, Tab};

use crate::world::{World, decimal, line, word};

/// A tab with two beers and three cakes, and another one with a soup.
fn two() -> (World, World) {
    let mut from = World::new();
    from.append(vec![line(1, "2"), line(2, "3")], None).unwrap();
    let mut to = World::new();
    to.tab.id = from.actor().stamp().id();
    to.append(vec![line(3, "1")], None).unwrap();
    (from, to)
}

fn choice(tab: &Tab, n: usize, quantity: Option<&str>) -> LineChoice {
    let line_id = tab.lines[n].line_id.to_string();
    LineChoice { line_id, quantity: quantity.map(decimal) }
}

fn moving(lines: Vec<LineChoice>) -> Moving {
    Moving { lines, expected_version: None, to_expected_version: None, naming: Naming::Unnamed }
}

fn named(lines: Vec<LineChoice>, name: &str) -> Moving {
    Moving { naming: Naming::New(AppendId::parse(name.to_owned()).unwrap()), ..moving(lines) }
}

fn give(from: &World, to: &World, moving: Moving) -> Result<Moved, PosError> {
    from.tab.clone().move_lines(to.tab.clone(), moving, &from.actor())
}

fn now(moved: Result<Moved, PosError>) -> (Tab, Tab, Vec<String>) {
    match moved.unwrap() {
        Moved::Now { from, to, beside, .. } => {
            (*from, *to, beside.into_iter().map(|put| put.id).collect())
        }
        Moved::Before(_) => panic!("it was made before"),
    }
}

fn quantities(tab: &Tab) -> Vec<String> {
    tab.lines.iter().map(|line| format!("{} {}", line.name, line.quantity)).collect()
}

#[test]
fn whole_lines_keep_their_ids_and_parts_get_new_ones() {
    let (from, to) = two();
    let whole = choice(&from.tab, 0, None);
    let (left, came, _) =
        now(give(&from, &to, moving(vec![whole.clone(), choice(&from.tab, 1, Some("1"))])));
    assert_eq!(quantities(&left), ["Item 2 2"]);
    assert_eq!(quantities(&came), ["Item 3 1", "Item 1 2", "Item 2 1"]);
    assert_eq!(came.lines[1].line_id.to_string(), whole.line_id);
    assert_ne!(came.lines[2].line_id, left.lines[0].line_id);
    let versions = (left.version, came.version);
    assert_eq!(versions, (from.tab.version + 1, to.tab.version + 1));
}

#[test]
fn a_move_that_is_sent_again_moves_nothing() {
    let (mut from, mut to) = two();
    let whole = vec![choice(&from.tab, 0, None)];
    let part = vec![choice(&from.tab, 1, Some("1"))];
    let (left, came, kept) = now(give(&from, &to, named(part.clone(), "m1")));
    assert_eq!(kept, [format!("{}>m1", from.tab.id)]);
    (from.tab, to.tab) = (left, came);
    let again = Moving { naming: Naming::Accepted, ..moving(part) };
    assert_eq!(give(&from, &to, again), Ok(Moved::Before(Box::new(from.tab.clone()))));
    let (left, came, _) = now(give(&from, &to, moving(whole.clone())));
    (from.tab, to.tab) = (left, came);
    assert_eq!(give(&from, &to, moving(whole)), Ok(Moved::Before(Box::new(from.tab.clone()))));
    let append = AppendId::parse("m1".to_owned()).unwrap();
    assert_ne!(append.key(from.tab.id), append.move_key(from.tab.id));
}

#[test]
fn both_tabs_must_let_it() {
    let (from, to) = two();
    let all = || moving(vec![choice(&from.tab, 0, None)]);
    let carried = |answer: Result<Moved, PosError>| match answer {
        Err(PosError::Tab(refused)) => refused.tab.id,
        other => panic!("{other:?}"),
    };
    for paid in [0, 1] {
        let mut tabs = [from.clone(), to.clone()];
        tabs[paid].claim("A").unwrap();
        let answer = give(&tabs[0], &tabs[1], all());
        assert_eq!(word(&answer), "already_claimed", "{paid}");
        assert_eq!(carried(answer), tabs[paid].tab.id);
        tabs.iter_mut().for_each(|world| world.pass(time::Duration::minutes(5)));
        let (left, came, _) = now(give(&tabs[0], &tabs[1], all()));
        assert!(left.claimant().is_none() && came.claimant().is_none());
        let mut tabs = [from.clone(), to.clone()];
        tabs[paid].cancel(None).unwrap();
        assert_eq!(word(&give(&tabs[0], &tabs[1], all())), "tab_cancelled", "{paid}");
    }
    let (versions, stale) = ((from.tab.version, to.tab.version), Some(99));
    let seen = Moving { expected_version: Some(versions.0), ..all() };
    let seen = Moving { to_expected_version: Some(versions.1), ..seen };
    assert_eq!(word(&give(&from, &to, seen)), "ok");
    let answer = give(&from, &to, Moving { expected_version: stale, ..all() });
    assert_eq!((word(&answer).as_str(), carried(answer)), ("stale_version", from.tab.id));
    let answer = give(&from, &to, Moving { to_expected_version: stale, ..all() });
    assert_eq!((word(&answer).as_str(), carried(answer)), ("stale_version", to.tab.id));
    assert_eq!(word(&give(&from, &to, moving(vec![]))), "lines=out_of_range");
    let too_much = moving(vec![choice(&from.tab, 0, Some("3"))]);
    assert_eq!(word(&give(&from, &to, too_much)), "lines[0].quantity=out_of_range");
    let mut shared = to.clone();
    shared.tab.shares = Some(2);
    assert_eq!(word(&give(&from, &shared, all())), "shares_outstanding");
}
