//! What goes wrong on command, and that nothing happens twice by it.

use racun_card_payments::contract;
use racun_card_payments::{CardProcessor as _, ProcessorError};
use racun_card_simulator::{Fault, Operation, When};

use crate::set_up::{SANDBOX, ask, start};

#[tokio::test]
async fn a_lost_answer_is_answered_to_the_same_key() {
    let (running, stripe) = start();
    let order = contract::checkout(None, None, "lost");
    for fault in [Fault::LoseAnswer, Fault::Html, Fault::Reset, Fault::ServerError, Fault::TooMany]
    {
        let operation = Some(Operation::Session);
        running.add_fault(fault, When { operation, times: Some(1), every: None });
        let lost = stripe.checkout(SANDBOX, &order).await;
        assert!(matches!(lost, Err(ProcessorError::NoAnswer(_))), "{fault:?}: {lost:?}");
    }
    let first = stripe.checkout(SANDBOX, &order).await.unwrap();
    running.add_fault(Fault::Delay, When::default());
    assert_eq!(stripe.checkout(SANDBOX, &order).await, Ok(first));
    running.clear_faults();
}

#[tokio::test]
async fn faults_come_as_often_as_they_are_planned() {
    let (running, stripe) = start();
    running.add_fault(Fault::ServerError, When { every: Some(3), ..When::default() });
    let mut failures = 0;
    for number in 0..9 {
        let order = contract::checkout(None, None, &format!("every-{number}"));
        failures += usize::from(stripe.checkout(SANDBOX, &order).await.is_err());
    }
    assert_eq!(failures, 3);
}

#[tokio::test]
async fn it_is_commanded_over_http() {
    let (running, stripe) = start();
    let url = &running.url;
    let plan = r#"{"fault":"server_error","when":{"operation":"session","times":1}}"#;
    assert_eq!(ask(url, "PUT", "/control/fault", "", plan).await.0, 200);
    assert_eq!(ask(url, "PUT", "/control/fault", "", "{}").await.0, 400);
    let order = contract::checkout(None, None, "command");
    assert!(stripe.checkout(SANDBOX, &order).await.is_err());
    assert_eq!(ask(url, "DELETE", "/control/fault", "", "").await.0, 200);
    let invoice = r#"{"account":"acct_sim1","total":100,"currency":"eur","description":"x"}"#;
    assert_eq!(ask(url, "POST", "/control/invoice", "", invoice).await.0, 200);
    let (status, ledger) = ask(url, "GET", "/control/ledger", "", "").await;
    assert!(status == 200 && ledger.contains("invoice.paid"), "{ledger}");
    let id = running.events()[0].id.clone();
    assert_eq!(ask(url, "POST", &format!("/control/replay/{id}"), "", "").await.0, 200);
    assert_eq!(ask(url, "POST", "/control/replay/evt_none", "", "").await.0, 404);
}

#[tokio::test]
async fn what_is_kept_is_bounded() {
    let options = racun_card_simulator::Options { most_kept: 3, ..crate::set_up::options() };
    let running = racun_card_simulator::Simulator::start(&options).unwrap();
    for _ in 0..20 {
        running.take_back("acct_sim1");
    }
    assert_eq!(running.events().len(), 3);
}
