//! What every store must pass, unchanged.
//!
//! Each function takes tenants of its own, so that stores may share a database.

use std::sync::Arc;

pub use super::lists::random_lists;
pub use super::log::happened;
pub use super::sample::{NOTES, Note, SAMPLES, Sample, SampleCustomer, SamplePart, SamplePrice};
pub use super::tallies::random_tallies;

use super::{amendments, counts, lists, log, series, tallies, units};
use crate::Store;

/// Proves each sentence of the port [`Store`] but the meaning of lists and of tallies: those are
/// [`random_lists`] and [`random_tallies`]. The store holds the tables [`SAMPLES`] and [`NOTES`].
///
/// Durability cannot be seen through the port: it is the stores' own test.
///
/// # Panics
/// When the store breaks the contract.
pub async fn store_contract(store: Arc<dyn Store>) {
    let store = &*store;
    store.ping().await.expect("a store that is open answers");

    amendments::a_row_is_found_only_in_its_tenant(store).await;
    amendments::a_record_comes_back_as_it_was_written(store).await;
    amendments::a_lookup_crosses_tenants_in_the_order_of_ids(store).await;
    amendments::only_indexed_text_fields_are_looked_up_or_held_by(store).await;
    amendments::a_refused_amendment_writes_nothing(store).await;
    amendments::amendments_of_one_row_take_turns(store).await;
    amendments::units_that_hold_rows_in_any_order_do_not_block_each_other(store).await;
    amendments::a_unit_is_shown_its_loads_in_their_order(store).await;
    amendments::a_unit_that_holds_the_parent_sees_all_children(store).await;
    amendments::a_unit_that_was_started_is_finished(store).await;

    counts::a_code_is_taken_once_in_a_tenant(store).await;
    counts::a_handle_is_taken_once_everywhere(store).await;
    counts::an_id_is_taken_once_in_a_tenant(store).await;
    counts::of_many_who_take_one_code_at_once_one_succeeds(store).await;
    counts::a_row_that_is_not_there_is_neither_replaced_nor_deleted(store).await;
    counts::kept_counts_follow_every_write(store).await;
    counts::bytes_are_counted(store).await;

    lists::a_table_without_trash_has_an_empty_one(store).await;
    lists::a_page_of_long_rows_ends_before_its_limit(store).await;
    lists::a_walk_of_long_rows_meets_each_of_them_once(store).await;
    lists::a_cursor_survives_the_row_it_stands_on(store).await;
    lists::reads_at_once_answer_what_each_answers_alone(store).await;

    log::an_entry_says_what_changed_and_what_is_there_now(store).await;
    log::an_entry_is_there_when_its_unit_is_committed(store).await;
    log::the_log_is_listed_like_any_table(store).await;
    log::a_reader_of_the_log_misses_nothing(store).await;
    log::a_snapshot_is_forgotten_and_its_entry_stays(store).await;

    series::numbers_are_used_once_and_without_gaps(store).await;
    series::an_unused_number_is_offered_again(store).await;
    series::series_count_apart(store).await;

    tallies::nothing_is_in_no_group(store).await;
    tallies::sums_are_exact_however_long(store).await;
    tallies::tallies_of_one_question_see_one_moment(store).await;

    units::each_part_of_a_unit_reads_what_it_held(store).await;
    units::what_is_missing_is_none_or_not_found(store).await;
    units::a_number_is_taken_only_when_it_is_used(store).await;
    units::an_amendment_in_a_context_says_who_acted(store).await;
}
