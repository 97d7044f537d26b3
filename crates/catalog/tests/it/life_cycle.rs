use racun_catalog::{
    BusinessUnit, BusinessUnitInput, CatalogError, Customer, CustomerInput, FinancialCategoryInput,
    Item, ItemInput, ItemRules, Supplier, SupplierInput, Tax, TaxInput, TaxRateInput, Trashable,
    archive_financial_category, create_business_unit, create_customer, create_financial_category,
    create_item, create_supplier, create_tax, erase, get, list, list_financial_categories, restore,
    trash, update_business_unit, update_customer, update_financial_category, update_item,
    update_supplier, update_tax,
};
use racun_kernel::{Decimal, Id, Patch};
use racun_store::{Context, RawQuery};
use time::macros::date;

use crate::world::{World, sent, trash_query, word};

const RULES: ItemRules = ItemRules { max_taxes_per_item: 1, today: date!(2026 - 11 - 20) };

/// How a test makes and changes a record of each kind.
trait Sample: Trashable + std::fmt::Debug {
    async fn make(world: &World) -> Id<Self::Kind>;
    async fn change(world: &World, id: Id<Self::Kind>) -> Result<Self, CatalogError>;
}

macro_rules! sample {
    ($record:ident, $create:ident, $update:ident, $input:expr, $change:expr $(, $rules:expr)?) => {
        impl Sample for $record {
            async fn make(w: &World) -> Id<Self::Kind> {
                $create(w.cx(), $input $(, $rules)?).await.unwrap().id
            }

            async fn change(w: &World, id: Id<Self::Kind>) -> Result<Self, CatalogError> {
                $update(w.cx(), id, $change $(, $rules)?).await
            }
        }
    };
}

macro_rules! named {
    ($input:ident, $name:literal) => {
        $input { name: sent($name), ..$input::default() }
    };
}

sample!(
    Customer,
    create_customer,
    update_customer,
    named!(CustomerInput, "Ana"),
    named!(CustomerInput, "Ana Novak")
);
sample!(
    Supplier,
    create_supplier,
    update_supplier,
    named!(SupplierInput, "Mlin"),
    named!(SupplierInput, "Novi mlin")
);
sample!(
    BusinessUnit,
    create_business_unit,
    update_business_unit,
    named!(BusinessUnitInput, "Center"),
    named!(BusinessUnitInput, "Bežigrad")
);
sample!(Tax, create_tax, update_tax, percent(22), percent(25));
sample!(
    Item,
    create_item,
    update_item,
    ItemInput { price: Patch::Value(Decimal::from(1)), ..named!(ItemInput, "Kava") },
    named!(ItemInput, "Bela kava"),
    &RULES
);

fn percent(rate: i64) -> TaxInput {
    let rates = vec![TaxRateInput { rate: Decimal::from(rate), valid_from: None }];
    TaxInput { tax_rates: Patch::Value(rates), ..TaxInput::default() }
}

/// Takes a new record through `steps`, `command=outcome` each.
async fn check<A: Sample>(steps: &str) {
    let world = World::new();
    let id = A::make(&world).await;
    let (store, scope, stamp) = (world.store(), &world.scope, &world.stamp);
    for (n, step) in steps.split_whitespace().enumerate() {
        let (command, expected) = step.split_once('=').unwrap();
        let outcome = match command {
            "get" => word(&get::<A>(Context::new(store, scope, stamp), id).await),
            "change" => word(&A::change(&world, id).await),
            "trash" => word(&trash::<A>(Context::new(store, scope, stamp), id).await),
            "restore" => word(&restore::<A>(Context::new(store, scope, stamp), id).await),
            "erase" => word(&erase::<A>(Context::new(store, scope, stamp), id).await),
            "listed" => {
                let page = list::<A>(Context::new(store, scope, stamp), &RawQuery::default())
                    .await
                    .unwrap();
                assert_eq!(page.pagination.total, i64::try_from(page.rows.len()).unwrap());
                page.rows.len().to_string()
            }
            "trashed" => {
                let page =
                    list::<A>(Context::new(store, scope, stamp), &trash_query()).await.unwrap();
                assert_eq!(page.pagination.total, i64::try_from(page.rows.len()).unwrap());
                page.rows.len().to_string()
            }
            other => panic!("no command {other}"),
        };
        assert_eq!(outcome, expected, "step {n}, {step}, of {}", A::TABLE.name);
    }
}

#[tokio::test]
async fn every_record_goes_to_the_trash_and_back_and_away() {
    let steps = "get=ok change=ok listed=1 trashed=0 restore=not_in_trash erase=not_in_trash
        trash=ok trash=not_found get=ok change=in_trash listed=0 trashed=1
        restore=ok change=ok listed=1 trashed=0
        trash=ok erase=ok get=not_found change=not_found trash=not_found restore=not_found
        erase=not_found listed=0 trashed=0";
    check::<Customer>(steps).await;
    check::<Supplier>(steps).await;
    check::<BusinessUnit>(steps).await;
    check::<Tax>(steps).await;
    check::<Item>(steps).await;
}

async fn told<A: Sample>() -> String {
    let world = World::new();
    let id = A::make(&world).await;
    let (store, scope, stamp) = (world.store(), &world.scope, &world.stamp);
    A::change(&world, id).await.unwrap();
    A::change(&world, id).await.unwrap();
    trash::<A>(Context::new(store, scope, stamp), id).await.unwrap();
    trash::<A>(Context::new(store, scope, stamp), id).await.unwrap_err();
    restore::<A>(Context::new(store, scope, stamp), id).await.unwrap();
    trash::<A>(Context::new(store, scope, stamp), id).await.unwrap();
    erase::<A>(Context::new(store, scope, stamp), id).await.unwrap();
    world.events()
}

#[tokio::test]
async fn each_change_is_logged_once() {
    let kinds = ["created", "updated", "deleted", "restored", "deleted", "permanently_deleted"];
    let expected = |of: &str| kinds.map(|kind| format!("{of}.{kind}")).join(" ");
    assert_eq!(told::<Customer>().await, expected("customer"));
    assert_eq!(told::<Item>().await, expected("item"));
    assert_eq!(told::<Tax>().await, expected("tax"));
    assert_eq!(told::<Supplier>().await, expected("supplier"));
    assert_eq!(told::<BusinessUnit>().await, expected("business_unit"));
}

async fn check_foreign<A: Sample>() {
    let world = World::new();
    let id = A::make(&world).await;
    let other = world.neighbour();
    let (store, scope, stamp) = (other.store(), &other.scope, &other.stamp);
    assert_eq!(word(&get::<A>(Context::new(store, scope, stamp), id).await), "not_found");
    assert_eq!(word(&A::change(&other, id).await), "not_found");
    assert_eq!(word(&trash::<A>(Context::new(store, scope, stamp), id).await), "not_found");
    trash::<A>(world.cx(), id).await.unwrap();
    assert_eq!(word(&restore::<A>(Context::new(store, scope, stamp), id).await), "not_found");
    assert_eq!(word(&erase::<A>(Context::new(store, scope, stamp), id).await), "not_found");
    for raw in [RawQuery::default(), trash_query()] {
        assert_eq!(list::<A>(Context::new(store, scope, stamp), &raw).await.unwrap().rows, []);
    }
    assert!(get::<A>(world.cx(), id).await.unwrap().is_trashed());
}

#[tokio::test]
async fn another_entitys_records_are_out_of_reach() {
    check_foreign::<Customer>().await;
    check_foreign::<Supplier>().await;
    check_foreign::<BusinessUnit>().await;
    check_foreign::<Tax>().await;
    check_foreign::<Item>().await;
}

#[tokio::test]
async fn an_update_that_changes_nothing_writes_nothing() {
    let world = World::new();
    let id = Customer::make(&world).await;
    let same = named!(CustomerInput, "Ana");
    let later = world.later();
    let unchanged =
        update_customer(Context::new(world.store(), &world.scope, &later.stamp), id, same).await;
    assert_eq!(unchanged.unwrap().updated_at, world.stamp.now());
    let changed = Customer::change(&later, id).await.unwrap();
    assert_eq!((changed.created_at, changed.updated_at), (world.stamp.now(), later.stamp.now()));
}

#[tokio::test]
async fn lists_search_filter_and_order_by_declared_fields() {
    let world = World::new();
    for (name, city) in [("Žito d.o.o.", "Ljubljana"), ("Ana", "Žiri"), ("Mlin", "Kranj")] {
        let input = CustomerInput { city: sent(city), ..named!(CustomerInput, "x") };
        let input = CustomerInput { name: sent(name), ..input };
        create_customer(world.cx(), input).await.unwrap();
    }
    let names = async |raw: RawQuery| match list::<Customer>(world.cx(), &raw).await {
        Ok(page) => page.rows.into_iter().map(|row| row.name).collect::<Vec<_>>().join(" "),
        Err(error) => word::<()>(&Err(error)),
    };
    let ordered = RawQuery { order_by: vec!["name".to_owned()], ..RawQuery::default() };
    let search = RawQuery { search: Some("ŽI".to_owned()), ..ordered.clone() };
    assert_eq!(names(search).await, "Ana Žito d.o.o.");
    let filter = |text: &str| RawQuery { query: Some(text.to_owned()), ..ordered.clone() };
    assert_eq!(names(filter(r#"{"city":"Kranj"}"#)).await, "Mlin");
    assert_eq!(names(filter(r#"{"contact_type":"buyer"}"#)).await, "Ana Mlin Žito d.o.o.");
    assert_eq!(names(filter(r#"{"entity_id":"x"}"#)).await, "query.entity_id=unknown_field");
}

#[tokio::test]
async fn archived_categories_are_listed_only_when_asked_for() {
    let world = World::new();
    let (store, scope, stamp) = (world.store(), &world.scope, &world.stamp);
    let mut ids = Vec::new();
    for (name, sort_order) in [("Storitve", 2), ("Blago", 2), ("Najem", 1)] {
        let input = FinancialCategoryInput {
            sort_order: Patch::Value(sort_order),
            ..named!(FinancialCategoryInput, "x")
        };
        let input = FinancialCategoryInput { name: sent(name), ..input };
        ids.push(
            create_financial_category(Context::new(store, scope, stamp), input).await.unwrap().id,
        );
    }
    let names = async |archived| {
        let rows =
            list_financial_categories(Context::new(store, scope, stamp), archived).await.unwrap();
        rows.into_iter().map(|row| row.name).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(false).await, "Najem Blago Storitve");
    let archived =
        archive_financial_category(Context::new(store, scope, stamp), ids[1]).await.unwrap();
    let later = world.later();
    let again =
        archive_financial_category(Context::new(store, scope, &later.stamp), ids[1]).await.unwrap();
    assert_eq!((archived.archived_at, &again), (Some(stamp.now()), &archived));
    assert_eq!(names(false).await, "Najem Storitve");
    assert_eq!(names(true).await, "Najem Blago Storitve");
    let renamed = named!(FinancialCategoryInput, "Roba");
    update_financial_category(Context::new(store, scope, stamp), ids[1], renamed).await.unwrap();
    assert_eq!(names(true).await, "Najem Roba Storitve");
    let other = world.neighbour();
    let foreign =
        archive_financial_category(Context::new(store, &other.scope, stamp), ids[0]).await;
    assert_eq!(word(&foreign), "not_found");
}

#[tokio::test]
async fn an_unpaginated_list_holds_more_than_one_page() {
    let world = World::new();
    for n in 0..205 {
        let input = FinancialCategoryInput {
            name: sent(&format!("{n:03}")),
            ..FinancialCategoryInput::default()
        };
        create_financial_category(world.cx(), input).await.unwrap();
    }
    let all = list_financial_categories(world.cx(), false).await.unwrap();
    let names: Vec<String> = all.into_iter().map(|category| category.name).collect();
    assert_eq!(names, (0..205).map(|n| format!("{n:03}")).collect::<Vec<_>>());
}
