//! Markers and regions.

use super::Entry;
use crate::host::lua::{Answer, Call, answer};
use crate::host::state::{Area, Host};
use crate::project::Marker;

pub(super) const FUNCTIONS: &[Entry] = &[
    ("AddProjectMarker", add),
    ("AddProjectMarker2", add_coloured),
    ("CountProjectMarkers", count),
    ("DeleteProjectMarker", delete),
    ("DeleteProjectMarkerByIndex", delete_by_index),
    ("EnumProjectMarkers", enumerate),
    ("EnumProjectMarkers2", enumerate2),
    ("EnumProjectMarkers3", enumerate3),
    ("GetLastMarkerAndCurRegion", last_marker_and_region),
    ("GetNumRegionsOrMarkers", count_all),
    ("GoToMarker", go_to_marker),
    ("GoToRegion", go_to_region),
    ("SetProjectMarker", set),
    ("SetProjectMarker2", set2),
    ("SetProjectMarker3", set3),
    ("SetProjectMarker4", set3),
    ("SetProjectMarkerByIndex", set_by_index),
    ("SetProjectMarkerByIndex2", set_by_index),
];

pub(super) fn sort(host: &mut Host) {
    host.project
        .markers
        .sort_by(|a, b| a.position_s.total_cmp(&b.position_s));
    host.touch(Area::Rest);
}

fn count(c: &mut Call) -> Answer {
    let markers = &c.host.project.markers;
    let regions = markers.iter().filter(|m| m.end_s.is_some()).count();
    answer![markers.len(), markers.len() - regions, regions]
}

fn count_all(c: &mut Call) -> Answer {
    answer![c.host.project.markers.len()]
}

fn add(c: &mut Call) -> Answer {
    let color = 0;
    add_marker(c, color)
}

fn add_coloured(c: &mut Call) -> Answer {
    let color = c.int32(6);
    add_marker(c, color)
}

fn add_marker(c: &mut Call, color: i32) -> Answer {
    let is_region = c.bool(1);
    let (start, end) = (c.num(2), c.num(3));
    let marker = Marker {
        number: free_number(c.host, is_region, c.int32(5)),
        name: c.text(4),
        position_s: start,
        end_s: is_region.then_some(end.max(start)),
        color,
        guid: c.host.fresh_guid(),
    };
    let number = marker.number;
    // Behind others at the same place, as it came later.
    c.host.project.markers.push(marker);
    sort(c.host);
    answer![number]
}

/// The wanted number where it can be had: markers may share one, regions not.
/// Otherwise the lowest free one from 1 on (a free number is used again).
pub(super) fn free_number(host: &Host, is_region: bool, wanted: i32) -> i32 {
    let taken = |number: i32| {
        host.project
            .markers
            .iter()
            .any(|marker| marker.end_s.is_some() == is_region && marker.number == number)
    };
    if wanted >= 0 && (!is_region || !taken(wanted)) {
        return wanted;
    }
    (1..=i32::MAX).find(|&number| !taken(number)).unwrap_or(0)
}

fn enumerate(c: &mut Call) -> Answer {
    let index = c.index(0);
    let mut answer = marker_at(c.host, index)?;
    answer.truncate(6);
    Ok(answer)
}

fn enumerate2(c: &mut Call) -> Answer {
    let index = c.index(1);
    let mut answer = marker_at(c.host, index)?;
    answer.truncate(6);
    Ok(answer)
}

fn enumerate3(c: &mut Call) -> Answer {
    let index = c.index(1);
    marker_at(c.host, index)
}

fn marker_at(host: &Host, index: Option<usize>) -> Answer {
    let found = index.and_then(|index| Some((index, host.project.markers.get(index)?)));
    match found {
        None => answer![0, false, 0.0, 0.0, "", 0, 0],
        Some((index, marker)) => answer![
            index + 1,
            marker.end_s.is_some(),
            marker.position_s,
            marker.end_s.unwrap_or(0.0),
            marker.name.as_str(),
            marker.number,
            marker.color
        ],
    }
}

fn find(host: &Host, number: i32, is_region: bool) -> Option<usize> {
    host.project
        .markers
        .iter()
        .position(|marker| marker.number == number && marker.end_s.is_some() == is_region)
}

fn delete(c: &mut Call) -> Answer {
    let found = find(c.host, c.int32(1), c.bool(2));
    remove(c.host, found)
}

fn delete_by_index(c: &mut Call) -> Answer {
    let found = c
        .index(1)
        .filter(|&index| index < c.host.project.markers.len());
    remove(c.host, found)
}

fn remove(host: &mut Host, index: Option<usize>) -> Answer {
    let Some(index) = index else {
        return answer![false];
    };
    host.project.markers.remove(index);
    host.touch(Area::Rest);
    answer![true]
}

/// What a setter gives; an empty name keeps the old one unless it is cleared
/// by a flag.
struct Change {
    is_region: bool,
    start: f64,
    end: f64,
    name: String,
    clear_name: bool,
    color: Option<i32>,
    number: Option<i32>,
    sort: bool,
}

fn set(c: &mut Call) -> Answer {
    let found = find(c.host, c.int32(0), c.bool(1));
    let change = Change {
        is_region: c.bool(1),
        start: c.num(2),
        end: c.num(3),
        name: c.text(4),
        clear_name: false,
        color: None,
        number: None,
        sort: true,
    };
    apply(c.host, found, change)
}

fn set2(c: &mut Call) -> Answer {
    let found = find(c.host, c.int32(1), c.bool(2));
    let change = change_at(c, 2, None, 0);
    apply(c.host, found, change)
}

fn set3(c: &mut Call) -> Answer {
    let found = find(c.host, c.int32(1), c.bool(2));
    let change = change_at(c, 2, Some(c.int32(6)), c.int(7));
    apply(c.host, found, change)
}

fn set_by_index(c: &mut Call) -> Answer {
    let found = c
        .index(1)
        .filter(|&index| index < c.host.project.markers.len());
    let flags = c.int(8);
    let change = Change {
        is_region: c.bool(2),
        start: c.num(3),
        end: c.num(4),
        name: c.text(6),
        clear_name: flags & 1 != 0,
        color: Some(c.int32(7)),
        number: Some(c.int32(5)),
        sort: flags & 2 == 0,
    };
    if c.int(1) == -1 {
        // The call that ends a series of unsorted changes.
        sort(c.host);
        return answer![true];
    }
    apply(c.host, found, change)
}

/// The arguments from `isrgn` on, as most setters have them.
fn change_at(c: &Call, first: usize, color: Option<i32>, flags: i64) -> Change {
    Change {
        is_region: c.bool(first),
        start: c.num(first + 1),
        end: c.num(first + 2),
        name: c.text(first + 3),
        clear_name: flags & 1 != 0,
        color,
        number: None,
        sort: true,
    }
}

fn apply(host: &mut Host, index: Option<usize>, change: Change) -> Answer {
    let Some(marker) = index.and_then(|index| host.project.markers.get_mut(index)) else {
        return answer![false];
    };
    if marker.end_s.is_some() != change.is_region {
        return answer![false];
    }
    marker.position_s = change.start;
    if change.is_region {
        marker.end_s = Some(change.end.max(change.start));
    }
    if !change.name.is_empty() || change.clear_name {
        marker.name = change.name;
    }
    // A colour of 0 leaves the old one.
    if let Some(color) = change.color.filter(|&color| color != 0) {
        marker.color = color;
    }
    if let Some(number) = change.number.filter(|&number| number >= 0) {
        marker.number = number;
    }
    if change.sort {
        sort(host);
    } else {
        host.touch(Area::Rest);
    }
    answer![true]
}

fn last_marker_and_region(c: &mut Call) -> Answer {
    let time = c.num(1);
    let markers = &c.host.project.markers;
    let marker = markers
        .iter()
        .rposition(|m| m.end_s.is_none() && m.position_s <= time);
    let region = markers
        .iter()
        .rposition(|m| m.position_s <= time && m.end_s.is_some_and(|end| time < end));
    let index = |found: Option<usize>| found.map_or(-1, |i| i64::try_from(i).unwrap_or(-1));
    answer![index(marker), index(region)]
}

fn go_to_marker(c: &mut Call) -> Answer {
    go_to(c, false)
}

fn go_to_region(c: &mut Call) -> Answer {
    go_to(c, true)
}

/// Counts from 1 on the timeline, or takes the number people see.
fn go_to(c: &mut Call, regions: bool) -> Answer {
    let (index, by_order) = (c.int(1), c.bool(2));
    let mut markers = c
        .host
        .project
        .markers
        .iter()
        .filter(|marker| marker.end_s.is_some() == regions);
    let found = if by_order {
        usize::try_from(index - 1)
            .ok()
            .and_then(|index| markers.nth(index))
    } else {
        markers.find(|marker| i64::from(marker.number) == index)
    };
    if let Some(position) = found.map(|marker| marker.position_s) {
        c.host.set_cursor(position);
    }
    answer![]
}
