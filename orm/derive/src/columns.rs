//! The fields of a struct as columns: what entities, views and plain rows share.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, ExprLit, Fields, Generics, Ident, Lit, Result, Type, Visibility,
    parse_quote,
};

use crate::attributes::{ColumnAttributes, TableAttributes};
use crate::checks;
use crate::items;
use crate::naming::{self, Case};
use crate::related::Related;
use crate::relations::{self, ForeignColumn};

/// A field that is a column.
pub(crate) struct Field {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    docs: Vec<Attribute>,
    pub(crate) attributes: ColumnAttributes,
    /// Its name in trees, and in rows.
    pub(crate) property: String,
    /// Its name in the database.
    pub(crate) column: String,
    foreigns: Vec<TokenStream>,
    foreign_column: Option<ForeignColumn>,
    /// Whether logs leave it out.
    unlogged: bool,
}

/// The named fields of a struct.
pub(crate) fn named(input: &DeriveInput) -> Result<impl Iterator<Item = &syn::Field>> {
    match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => Ok(fields.named.iter()),
            _ => Err(Error::new(input.ident.span(), "its fields have no names: write `struct Name { field: Type }`")),
        },
        _ => Err(Error::new(input.ident.span(), "a row is a struct: for an enum that a column holds, derive `DbEnum`")),
    }
}

impl Field {
    /// The field, and what it says of itself.
    pub(crate) fn parse(field: &syn::Field, table: &TableAttributes) -> Result<Self> {
        let Some(ident) = field.ident.clone() else {
            return Err(Error::new(field.span(), "the field has no name"));
        };
        let mut attributes = ColumnAttributes::parse(&field.attrs)?;
        let foreign_column = relations::foreign_column(&field.attrs, &table.krate)?;
        if let Some(name) = foreign_column.as_ref().and_then(|foreign| foreign.name.clone()) {
            attributes.property = Some(name);
        }
        let name = naming::plain(&ident);
        let property = attributes.property.as_ref().map_or_else(|| table.properties.of(&name), syn::LitStr::value);
        let column = match &attributes.name {
            Some(column) => column.value(),
            None if table.columns == table.properties => property.clone(),
            None => table.columns.of(&name),
        };
        Ok(Self {
            ty: field.ty.clone(),
            docs: docs(&field.attrs),
            foreigns: relations::foreigns(&field.attrs, &table.krate)?,
            unlogged: !items::of(&field.attrs, "log", &["skip"])?.is_empty(),
            ident,
            attributes,
            property,
            column,
            foreign_column,
        })
    }

    /// Whether it comes from another table.
    pub(crate) fn is_foreign(&self) -> bool {
        self.foreign_column.is_some()
    }

    /// What converts it, if something does, and whether an `Option` is around what is converted.
    fn converter(&self, krate: &TokenStream) -> Option<(TokenStream, &Type, bool)> {
        let converter = match &self.attributes.converter {
            Some((_, path)) => quote!(#path),
            None => self.attributes.json.map(|span| quote_spanned!(span => #krate::entity::JsonConverter))?,
        };
        let inner = checks::option(&self.ty);
        Some((converter, inner.unwrap_or(&self.ty), inner.is_some()))
    }

    /// The type that the column has: the field's own, or what it is converted to.
    pub(crate) fn stored(&self, krate: &TokenStream) -> TokenStream {
        match self.converter(krate) {
            None => {
                let ty = &self.ty;
                quote!(#ty)
            }
            Some((converter, inner, optional)) => {
                let stored = quote!(<#converter as #krate::entity::Converter<#inner>>::Stored);
                if optional { quote!(::core::option::Option<#stored>) } else { stored }
            }
        }
    }

    /// Where it is, for an error.
    fn place(&self, entity: &TokenStream, krate: &TokenStream) -> TokenStream {
        let (property, column) = (&self.property, &self.column);
        quote!(#krate::entity::__private::FieldPlace { entity: #entity, property: #property, column: #column })
    }

    /// The code that reads it from `row`.
    pub(crate) fn read(&self, entity: &TokenStream, krate: &TokenStream) -> TokenStream {
        let (place, ty) = (self.place(entity, krate), &self.ty);
        let private = quote!(#krate::entity::__private);
        let read = match self.converter(krate) {
            None => quote_spanned!(ty.span() => #private::read::<#ty>(row, index, &place)?),
            Some((converter, inner, false)) => quote!(#private::read_with::<#converter, #inner>(row, index, &place)?),
            Some((converter, inner, true)) => {
                quote!(#private::read_option_with::<#converter, #inner>(row, index, &place)?)
            }
        };
        if self.attributes.is_read() {
            return quote! {{
                let place = #place;
                let index = cursor.index(row, &place)?;
                #read
            }};
        }
        // A select without a list leaves it out.
        quote! {{
            let place = #place;
            match cursor.find(row, &place) {
                ::core::option::Option::Some(index) => #read,
                ::core::option::Option::None => ::core::default::Default::default(),
            }
        }}
    }

    /// The code that makes what is stored of it.
    fn store(&self, entity: &TokenStream, krate: &TokenStream) -> TokenStream {
        let (place, ident, ty) = (self.place(entity, krate), &self.ident, &self.ty);
        let private = quote!(#krate::entity::__private);
        let stored = match self.converter(krate) {
            None => quote_spanned!(ty.span() => <#ty as #krate::entity::Field>::store(&self.#ident)),
            Some((converter, inner, false)) => quote!(#private::store_with::<#converter, #inner>(&self.#ident)),
            Some((converter, inner, true)) => quote!(#private::store_option_with::<#converter, #inner>(&self.#ident)),
        };
        quote!((#place).told(#stored))
    }

    /// The code that takes what the database gave.
    fn load(&self, entity: &TokenStream, krate: &TokenStream) -> TokenStream {
        let (place, ident, ty) = (self.place(entity, krate), &self.ident, &self.ty);
        let private = quote!(#krate::entity::__private);
        let loaded = match self.converter(krate) {
            None => quote_spanned!(ty.span() => <#ty as #krate::entity::Field>::load(value)),
            Some((converter, inner, false)) => quote!(#private::load_with::<#converter, #inner>(value)),
            Some((converter, inner, true)) => quote!(#private::load_option_with::<#converter, #inner>(value)),
        };
        quote!(self.#ident = (#place).told(#loaded)?)
    }

    /// `.column(..)` or `.foreign_column_def(..)`, on the definition.
    fn define(&self, krate: &TokenStream) -> TokenStream {
        let property = &self.property;
        if let Some(foreign) = &self.foreign_column {
            let from = relations::target(&foreign.from, krate);
            let there = foreign.property.as_ref().map(|name| quote!(.property(#name)));
            let hidden = (!foreign.filterable).then(|| quote!(.not_filterable()));
            return quote! {
                .foreign_column_def(#krate::model::ForeignColumnDef::new(#property, #from) #there #hidden)
            };
        }
        let at = &self.attributes;
        let stored = self.stored(krate);
        let ty = match &at.ty {
            Some(name) => {
                let name = Ident::new(&name.value(), name.span());
                quote!(::core::option::Option::Some(#krate::expr::DbValueType::#name))
            }
            None => quote!(::core::option::Option::None),
        };
        let nullable = match (at.nullable, at.not_null) {
            (Some(_), _) => quote!(::core::option::Option::Some(true)),
            (None, Some(_)) => quote!(::core::option::Option::Some(false)),
            (None, None) => quote!(::core::option::Option::None),
        };
        let flags = at.flags.is_some();
        let options = self.options(krate);
        let foreigns = &self.foreigns;
        quote! {
            .column(
                #krate::entity::__private::column::<#stored>(#property, #ty, #nullable, #flags)
                #options #(.foreign(#foreigns))*
            )
        }
    }

    fn options(&self, krate: &TokenStream) -> TokenStream {
        let at = &self.attributes;
        let mut tokens = TokenStream::new();
        if self.column != self.property {
            let column = &self.column;
            tokens.extend(quote!(.column(#column)));
        }
        if let Some((_, length)) = at.length {
            tokens.extend(quote!(.length(#length)));
        }
        if let Some((_, mode)) = &at.text {
            tokens.extend(quote!(.text(#krate::entity::__private::TextMode::#mode)));
        }
        if let Some((_, digits)) = at.precision {
            // That of a time has no scale, and of a decimal none is 0.
            let scale = at.scale.map_or(0, |(_, scale)| scale);
            tokens.extend(quote!(.precision(#digits, #scale)));
        }
        for (flag, method) in [
            (at.primary_key, "primary_key"),
            (at.timestamp, "timestamp"),
            (at.index, "index"),
            (at.unique, "unique"),
            (at.soft_delete, "soft_delete"),
            (at.distribution_key, "distribution_key"),
            (at.not_filterable, "not_filterable"),
            (at.writable, "writable"),
        ] {
            if flag.is_some() {
                let method = format_ident!("{method}");
                tokens.extend(quote!(.#method()));
            }
        }
        if let Some((_, start, increment)) = at.identity {
            tokens.extend(quote!(.identity(#start, #increment)));
        }
        if let Some((_, expression)) = &at.identity_expression {
            tokens.extend(quote!(.identity_expression(#expression)));
        }
        if let Some((span, value)) = &at.constant {
            tokens.extend(quote_spanned!(*span => .constant(#value)));
        }
        if let Some((_, sql)) = &at.default {
            tokens.extend(quote!(.default_sql(#sql)));
        }
        if let Some((_, text)) = &at.comment {
            tokens.extend(quote!(.comment(#text)));
        }
        match &at.computed {
            Some((_, Expr::Lit(ExprLit { lit: Lit::Str(text), .. }))) => tokens.extend(quote!(.computed(#text))),
            Some((_, expr)) => tokens.extend(quote!(.computed_expr(#expr))),
            None => {}
        }
        if let Some((_, mode)) = at.mode {
            tokens.extend(quote!(.mode(#krate::entity::__private::mode(#mode))));
        }
        tokens
    }
}

/// What stands above a field for its readers.
fn docs(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).cloned().collect()
}

/// A struct whose code is made.
pub(crate) struct Struct<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    pub(crate) generics: Generics,
    pub(crate) table: TableAttributes,
    pub(crate) fields: Vec<Field>,
    /// Fields that are left to their default.
    pub(crate) skipped: Vec<Ident>,
    /// The field that holds a view's entity.
    pub(crate) base: Option<(&'a Ident, &'a Type)>,
    /// The fields that hold rows of other entities, which are skipped as well.
    pub(crate) related: Vec<Related>,
}

impl<'a> Struct<'a> {
    pub(crate) fn new(input: &'a DeriveInput, table: TableAttributes, fields: Vec<Field>, skipped: Vec<Ident>) -> Self {
        let krate = &table.krate;
        let mut generics = input.generics.clone();
        let params: Vec<Ident> = generics.type_params().map(|param| param.ident.clone()).collect();
        if !params.is_empty() {
            let clause = generics.make_where_clause();
            for param in &params {
                clause.predicates.push(parse_quote!(#param: ::core::marker::Send + ::core::marker::Sync + 'static));
            }
            for field in &fields {
                let stored = field.stored(krate);
                let text = format!(" {stored} ");
                let names =
                    |param: &Ident| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| param == word);
                if params.iter().any(names) {
                    clause.predicates.push(parse_quote!(#stored: #krate::entity::Field));
                }
            }
        }
        Self { ident: &input.ident, vis: &input.vis, generics, table, fields, skipped, base: None, related: Vec::new() }
    }

    /// The code of the entity's name.
    fn name(&self) -> TokenStream {
        let krate = &self.table.krate;
        quote!(<Self as #krate::entity::Entity>::NAME)
    }

    fn columns_ident(&self) -> Ident {
        format_ident!("{}Columns", self.ident)
    }

    /// The struct with a typed column a field, and the constants.
    pub(crate) fn columns(&self) -> TokenStream {
        let (krate, ident, vis, columns) = (&self.table.krate, self.ident, self.vis, self.columns_ident());
        let (impls, types, clause) = self.generics.split_for_impl();
        // Its last parameter is the entity of the conditions that the columns are for.
        let mut generics = self.generics.clone();
        generics.params.push(parse_quote!(__S = #ident #types));
        let (columns_impls, columns_types, _) = generics.split_for_impl();
        let doc = format!("The columns of [`{ident}`], to make conditions of.");
        let mut fields = Vec::new();
        let mut values = Vec::new();
        let mut constants = Vec::new();
        for field in &self.fields {
            let (name, property, docs) = (&field.ident, &field.property, &field.docs);
            let stored = field.stored(krate);
            let said = docs.is_empty().then(|| {
                let doc = format!("The column of `{}`.", naming::plain(name));
                quote!(#[doc = #doc])
            });
            let mut constant = Case::Screaming.of(&naming::plain(name));
            // `_1` and `__` have no letters to be written large.
            if !constant.starts_with(|first: char| first.is_alphabetic()) {
                constant.insert_str(0, "COLUMN_");
            }
            let constant = format_ident!("{constant}", span = name.span());
            fields.push(quote!(#(#docs)* #said pub #name: #krate::entity::Column<__S, #stored>));
            let entity = self.name();
            let named = quote! {
                #krate::entity::Column::new(const { &#krate::expr::ColumnName { entity: #entity, name: #property } })
            };
            values.push(quote!(#name: #named.of(alias)));
            constants.push(quote! {
                #(#docs)* #said
                pub const #constant: #krate::entity::Column<Self, #stored> = #named;
            });
        }
        let functions = self.related.iter().map(|related| related.function(krate));
        let base = self.base.map(|(_, ty)| {
            let of = quote!(<#ty as #krate::entity::Entity>::Columns<__S>);
            values.push(quote!(__base: <#ty as #krate::entity::Entity>::columns_in(alias)));
            // Private, so that nobody is told of it beside the columns.
            fields.push(quote!(__base: #of));
            quote! {
                #[automatically_derived]
                impl #columns_impls ::core::ops::Deref for #columns #columns_types #clause {
                    type Target = #of;

                    fn deref(&self) -> &Self::Target {
                        &self.__base
                    }
                }
            }
        });
        if !generics.params.is_empty() {
            fields.push(quote!(__of: ::core::marker::PhantomData<fn() -> #ident #types>));
            values.push(quote!(__of: ::core::marker::PhantomData));
        }
        // A field may be of a type that is less visible than its struct: the columns are made to be used.
        quote! {
            #[doc = #doc]
            #[allow(private_interfaces, private_bounds)]
            #vis struct #columns #generics #clause {
                #(#fields,)*
            }

            #[automatically_derived]
            impl #columns_impls ::core::clone::Clone for #columns #columns_types #clause {
                fn clone(&self) -> Self {
                    *self
                }
            }

            #[automatically_derived]
            impl #columns_impls ::core::marker::Copy for #columns #columns_types #clause {}

            #[automatically_derived]
            impl #columns_impls ::core::fmt::Debug for #columns #columns_types #clause {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    f.write_str(::core::stringify!(#columns))
                }
            }

            #base

            #[automatically_derived]
            #[allow(private_interfaces, dead_code)]
            impl #impls #ident #types #clause {
                #(#constants)*
                #(#functions)*
            }

            #[automatically_derived]
            impl #impls #krate::entity::__private::ColumnsOf for #ident #types #clause {
                type Columns<__S> = #columns #columns_types;

                #[allow(unused_variables)]
                fn columns_of<__S>(alias: ::core::option::Option<&'static str>) -> Self::Columns<__S> {
                    #columns { #(#values,)* }
                }
            }
        }
    }

    /// The implementation of `Entity`, of a definition that is begun.
    pub(crate) fn entity(&self, begun: &TokenStream, attributes: &[Attribute]) -> Result<TokenStream> {
        let (krate, ident) = (&self.table.krate, self.ident);
        let (impls, types, clause) = self.generics.split_for_impl();
        let name = match &self.table.entity {
            Some(name) => quote!(#name),
            None => {
                let name = naming::plain(ident);
                quote!(#name)
            }
        };
        let base = self.base.map(|(_, ty)| ty);
        let columns = self.fields.iter().map(|field| field.define(krate));
        let relations = relations::on_struct(attributes, &self.fields, base, krate)?;
        let related = self.related.iter().map(|related| related.define(&self.fields, krate));
        let related = related.collect::<Result<Vec<_>>>()?;
        let fixed = self.table.fixed_filter.as_ref().map(|filter| quote!(.fixed_filter(#filter)));
        let columns_ident = self.columns_ident();
        let mut columns_generics = self.generics.clone();
        columns_generics.params.push(parse_quote!(__S));
        let (_, columns_types, _) = columns_generics.split_for_impl();
        let scope = self.scope();
        let base_log = self.base.map(|(field, _)| quote!(#krate::entity::Entity::log_columns(&self.#field, text);));
        let logged: Vec<&Field> = self.fields.iter().filter(|field| !field.unlogged).collect();
        let logged_names = logged.iter().map(|field| &field.property);
        let entity = self.name();
        let logged = logged.iter().map(|field| field.store(&entity, krate));
        let variant = if base.is_some() { quote!(View) } else { quote!(Table) };
        Ok(quote! {
            #[automatically_derived]
            impl #impls #krate::entity::Entity for #ident #types #clause {
                const NAME: &'static str = #name;

                type Columns<__S> = #columns_ident #columns_types;

                fn columns_in<__S>(alias: ::core::option::Option<&'static str>) -> Self::Columns<__S> {
                    <Self as #krate::entity::__private::ColumnsOf>::columns_of(alias)
                }

                fn definition() -> #krate::entity::Definition {
                    #krate::entity::Definition::#variant(#begun #(#columns)* #relations #(#related)* #fixed)
                }

                #[allow(unused_variables, deprecated)]
                fn log_columns(&self, text: &mut #krate::entity::LogText) {
                    #base_log
                    #(text.column(#logged_names, #logged);)*
                }
            }

            #[automatically_derived]
            impl #impls #krate::entity::Logable for #ident #types #clause {
                fn log(&self, text: &mut #krate::entity::LogText) {
                    text.row(#name, |text| #krate::entity::Entity::log_columns(self, text));
                }
            }

            #scope
        })
    }

    /// What its conditions may speak of: of itself, and a view of its entity as well.
    fn scope(&self) -> TokenStream {
        let (krate, ident) = (&self.table.krate, self.ident);
        let (impls, types, clause) = self.generics.split_for_impl();
        let (takes, beside) = (quote!(#krate::entity::Takes), quote!(#krate::entity::Beside));
        let layer = quote!(#krate::entity::__private::Layer);
        let others = match self.base {
            None => quote! {
                #[automatically_derived]
                impl #impls #takes<()> for #ident #types #clause {}

                #[automatically_derived]
                impl #impls #beside<()> for #ident #types #clause {
                    type Both = Self;
                }

                #[automatically_derived]
                impl #impls #layer for #ident #types #clause {
                    type Under = #krate::entity::__private::Nothing<Self>;
                    type Below = #krate::entity::__private::Nothing<Self::Under>;
                }
            },
            Some((_, base)) => {
                // As deep as views over views go. Of fewer layers the last ones are nothing that anybody names.
                let below = [quote!(#base), quote!(<#base as #layer>::Under), quote!(<#base as #layer>::Below)];
                let mut of = self.generics.clone();
                of.params.push(parse_quote!(__E));
                of.make_where_clause().predicates.push(parse_quote!(#base: #takes<__E>));
                let (of_impls, _, of_clause) = of.split_for_impl();
                quote! {
                    #[automatically_derived]
                    #[diagnostic::do_not_recommend]
                    impl #of_impls #takes<__E> for #ident #types #of_clause {}

                    #[automatically_derived]
                    #[diagnostic::do_not_recommend]
                    impl #of_impls #beside<__E> for #ident #types #of_clause {
                        type Both = Self;
                    }

                    #(#[automatically_derived]
                    impl #impls #beside<#ident #types> for #below #clause {
                        type Both = #ident #types;
                    })*

                    #[automatically_derived]
                    impl #impls #layer for #ident #types #clause {
                        type Under = #base;
                        type Below = <#base as #layer>::Under;
                    }
                }
            }
        };
        quote! {
            #others

            #[automatically_derived]
            impl #impls #takes<Self> for #ident #types #clause {}

            #[automatically_derived]
            impl #impls #beside<Self> for #ident #types #clause {
                type Both = Self;
            }
        }
    }

    /// The implementations that read a row. Errors call it by that name; `called` is what a select list calls a field.
    pub(crate) fn decode(&self, name: &TokenStream, called: fn(&Field) -> &str) -> TokenStream {
        let (krate, ident) = (&self.table.krate, self.ident);
        let (impls, types, clause) = self.generics.split_for_impl();
        let base = self
            .base
            .map(|(field, ty)| quote!(#field: <#ty as #krate::entity::__private::Decode>::decode(row, cursor)?,));
        let names = self.fields.iter().map(|field| &field.ident);
        let values = self.fields.iter().map(|field| field.read(name, krate));
        let skipped = &self.skipped;
        let places = self.fields.iter().enumerate().map(|(place, field)| {
            let (field, column) = (naming::plain(&field.ident), called(field));
            quote!(#field => ::core::option::Option::Some((#place, #column)),)
        });
        let other = match self.base {
            Some((_, base)) => quote!(other => <#base as #krate::driver::FromRow>::column_of(other),),
            None => quote!(_ => ::core::option::Option::None,),
        };
        quote! {
            #[automatically_derived]
            impl #impls #krate::entity::__private::Decode for #ident #types #clause {
                #[allow(unused_variables, deprecated)]
                fn decode(
                    row: &dyn #krate::driver::Row,
                    cursor: &mut #krate::entity::__private::Cursor<'_>,
                ) -> #krate::driver::Result<Self> {
                    ::core::result::Result::Ok(Self {
                        #base
                        #(#names: #values,)*
                        #(#skipped: ::core::default::Default::default(),)*
                    })
                }
            }

            #[automatically_derived]
            impl #impls #krate::driver::FromRow for #ident #types #clause {
                fn from_row(row: &dyn #krate::driver::Row) -> #krate::driver::Result<Self> {
                    Self::from_next_row(row, &mut ::core::default::Default::default())
                }

                fn from_next_row(
                    row: &dyn #krate::driver::Row,
                    layout: &mut #krate::driver::Layout,
                ) -> #krate::driver::Result<Self> {
                    let mut cursor = #krate::entity::__private::Cursor::new(layout);
                    <Self as #krate::entity::__private::Decode>::decode(row, &mut cursor)
                }

                fn column_of(field: &str) -> ::core::option::Option<(usize, &'static str)> {
                    match field {
                        #(#places)*
                        #other
                    }
                }
            }
        }
    }

    /// The implementation of `Table`.
    pub(crate) fn table(&self) -> TokenStream {
        let (krate, ident, name) = (&self.table.krate, self.ident, self.name());
        let (impls, types, clause) = self.generics.split_for_impl();
        let at = 0..self.fields.len();
        let stores = self.fields.iter().map(|field| field.store(&name, krate));
        let loads = self.fields.iter().map(|field| field.load(&name, krate));
        let again = at.clone();
        let args = self.table.arged.then(|| {
            quote! {
                fn table_args(&self) -> ::std::vec::Vec<::std::string::String> {
                    <Self as #krate::entity::Arged>::table_args(self)
                }
            }
        });
        let version = self.fields.iter().find(|field| field.attributes.timestamp.is_some()).map(|field| {
            let stored = field.stored(krate);
            quote!(const LAST_VERSION: i64 = <#stored as #krate::entity::Field>::LAST;)
        });
        let error = quote!(#krate::entity::FieldError);
        quote! {
            #[automatically_derived]
            #[allow(deprecated)]
            impl #impls #krate::entity::Table for #ident #types #clause {
                #version

                fn value(&self, column: usize) -> ::core::result::Result<#krate::expr::Value, #error> {
                    match column {
                        #(#at => #stores,)*
                        _ => ::core::result::Result::Err(#error::no_column(#name, column)),
                    }
                }

                fn set(
                    &mut self,
                    column: usize,
                    value: &#krate::expr::Value,
                ) -> ::core::result::Result<(), #error> {
                    match column {
                        #(#again => #loads,)*
                        _ => return ::core::result::Result::Err(#error::no_column(#name, column)),
                    }
                    ::core::result::Result::Ok(())
                }

                #args
            }
        }
    }

    /// What puts it into the catalog.
    pub(crate) fn registration(&self) -> Option<TokenStream> {
        let (krate, ident) = (&self.table.krate, self.ident);
        (self.table.register && self.generics.params.is_empty()).then(|| {
            quote! {
                #krate::entity::__private::inventory::submit! {
                    {
                        use #krate::entity::__private::NotBlank as _;
                        #krate::entity::Registered::of::<#ident>().row(#krate::entity::__private::Blank::<#ident>::ROW)
                    }
                }
            }
        })
    }
}
