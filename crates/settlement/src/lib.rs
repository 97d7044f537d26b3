//! Payments, expenses and what settles what.
