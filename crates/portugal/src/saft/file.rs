//! The order of the file, from the header to its end.

use std::collections::BTreeSet;
use std::io::Write;

use super::check::{SaftError, check_document, check_id, check_receipt};
use super::master::{write_customer, write_header, write_product, write_taxes};
use super::xml::Xml;
use super::{Customer, Encoding, Header, Product, SaftDocument, SaftReceipt, Survey, entry};
use crate::Class;

/// A file that is being written to a `W`, one document at a time.
#[derive(Debug)]
pub struct SaftFile<W> {
    out: W,
    xml: Xml,
    survey: Survey,
    /// The content of the file so far.
    counted: Survey,
    stage: Stage,
    customers: BTreeSet<String>,
    products: BTreeSet<String>,
}

/// How far the file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Customers,
    Products,
    Documents(Class),
}

impl<W: Write> SaftFile<W> {
    /// Begins the file of what `survey` counted.
    ///
    /// # Errors
    /// [`SaftError::Document`] of the header, [`SaftError::Io`].
    pub fn begin(
        out: W,
        encoding: Encoding,
        header: &Header,
        survey: Survey,
    ) -> Result<Self, SaftError> {
        let mut xml = Xml::new(encoding);
        write_header(&mut xml, header)?;
        let (customers, products) = (survey.customers.clone(), survey.products.clone());
        let counted = Survey::default();
        let stage = Stage::Customers;
        let mut file = Self { out, xml, survey, counted, stage, customers, products };
        file.flush()?;
        Ok(file)
    }

    /// Writes a customer whom documents name, once; leaves out others, and one without a tax number
    /// where the survey saw the same with it.
    ///
    /// # Errors
    /// [`SaftError::Order`] after products or documents, [`SaftError::Io`].
    pub fn customer(&mut self, customer: &Customer) -> Result<(), SaftError> {
        if self.stage > Stage::Customers {
            return Err(SaftError::Order { field: "Customer" });
        }
        let is_behind = !customer.has_number() && self.survey.numbered.contains(&customer.id);
        if is_behind || !self.customers.remove(&customer.id) {
            return Ok(());
        }
        write_customer(&mut self.xml, customer);
        self.flush()
    }

    /// Writes a product that lines name, once; leaves out others.
    ///
    /// # Errors
    /// [`SaftError::Order`] after documents; [`SaftError::Missing`] when customers are;
    /// [`SaftError::Io`].
    pub fn product(&mut self, product: &Product) -> Result<(), SaftError> {
        if self.stage > Stage::Products {
            return Err(SaftError::Order { field: "Product" });
        }
        if !self.products.contains(&product.code) {
            return Ok(());
        }
        missing("CustomerID", &self.customers)?;
        self.stage = Stage::Products;
        check_id(&product.code, "ProductCode", &product.code, 60)?;
        self.products.remove(&product.code);
        write_product(&mut self.xml, product);
        self.flush()
    }

    /// Writes a document. Sales come first, then movements, then working documents.
    ///
    /// # Errors
    /// [`SaftError::Order`], [`SaftError::Missing`] when a customer or a product is,
    /// [`SaftError::Document`], [`SaftError::Io`].
    pub fn document(&mut self, document: &SaftDocument) -> Result<(), SaftError> {
        check_document(document)?;
        self.reach(Stage::Documents(document.code.class()), "SourceDocuments")?;
        self.counted.count(document);
        entry::write_document(&mut self.xml, document);
        self.flush()
    }

    /// Writes a receipt, behind all documents.
    ///
    /// # Errors
    /// As [`SaftFile::document`].
    pub fn receipt(&mut self, receipt: &SaftReceipt) -> Result<(), SaftError> {
        check_receipt(receipt)?;
        self.reach(Stage::Documents(Class::Payments), "Payments")?;
        self.counted.count_receipt(receipt);
        entry::write_receipt(&mut self.xml, receipt);
        self.flush()
    }

    /// Ends the file.
    ///
    /// # Errors
    /// [`SaftError::Changed`] when what was written is not what was counted;
    /// [`SaftError::Missing`]; [`SaftError::Io`].
    pub fn finish(mut self) -> Result<W, SaftError> {
        self.reach(Stage::Documents(Class::Payments), "Payments")?;
        if !self.counted.has_counts_of(&self.survey) {
            return Err(SaftError::Changed);
        }
        self.end_section(Class::Payments);
        self.xml.text.push_str("</SourceDocuments></AuditFile>\n");
        self.flush()?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Goes on to `stage`: ends the parts before it, and begins those up to it.
    fn reach(&mut self, stage: Stage, field: &'static str) -> Result<(), SaftError> {
        if stage < self.stage {
            return Err(SaftError::Order { field });
        }
        let began = match self.stage {
            Stage::Documents(class) => Some(class),
            Stage::Customers | Stage::Products => None,
        };
        let Stage::Documents(wanted) = stage else { return Ok(()) };
        if began.is_none() {
            missing("CustomerID", &self.customers)?;
            missing("ProductCode", &self.products)?;
            write_taxes(&mut self.xml, &self.survey.taxes);
            self.xml.text.push_str("</MasterFiles>\n<SourceDocuments>");
        }
        for class in [Class::Sales, Class::Movement, Class::Working, Class::Payments] {
            let is_next = began.is_none_or(|began| class > began) && class <= wanted;
            if is_next {
                if let Stage::Documents(open) = self.stage {
                    self.end_section(open);
                }
                self.begin_section(class);
                self.stage = Stage::Documents(class);
            }
        }
        Ok(())
    }

    fn begin_section(&mut self, class: Class) {
        let xml = &mut self.xml;
        let totals = match class {
            Class::Sales => &self.survey.sales,
            Class::Working => &self.survey.working,
            Class::Payments => &self.survey.payments,
            Class::Movement => {
                let moved = &self.survey.movement;
                if moved.entries > 0 {
                    xml.open("MovementOfGoods");
                    xml.plain("NumberOfMovementLines", &moved.lines.to_string());
                    xml.figure("TotalQuantityIssued", &moved.quantity);
                }
                return;
            }
        };
        if is_shown(class, &self.survey) {
            xml.open(section(class));
            xml.plain("NumberOfEntries", &totals.entries.to_string());
            xml.figure("TotalDebit", &totals.debit);
            xml.figure("TotalCredit", &totals.credit);
        }
    }

    fn end_section(&mut self, class: Class) {
        if is_shown(class, &self.survey) {
            self.xml.close(section(class));
        }
    }

    fn flush(&mut self) -> Result<(), SaftError> {
        self.out.write_all(&self.xml.encoding.bytes(&self.xml.text))?;
        self.xml.text.clear();
        Ok(())
    }
}

/// Whether the file has this part: sales always, so that a month without any says so.
fn is_shown(class: Class, survey: &Survey) -> bool {
    class == Class::Sales || survey.entries(class) > 0
}

const fn section(class: Class) -> &'static str {
    match class {
        Class::Sales => "SalesInvoices",
        Class::Movement => "MovementOfGoods",
        Class::Working => "WorkingDocuments",
        Class::Payments => "Payments",
    }
}

fn missing(field: &'static str, names: &BTreeSet<String>) -> Result<(), SaftError> {
    names.first().map_or(Ok(()), |id| Err(SaftError::Missing { field, id: id.clone() }))
}
