//! Documents, received ones too: their amounts, numbers, stages, links and schedules.

mod calculation;
mod expenses;
mod life_cycle;
mod linked;
mod number_format;
mod recognition;
mod recurrence;
mod tip_report;
