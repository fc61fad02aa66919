//! The attribute `#[raddle::test]`.
//!
//! `raddle` re-exports it; there is no reason to depend on this crate directly. It reads the tokens of a function by
//! hand: an attribute, a visibility, `async`, a name and an arrow are all it needs to know.

use std::iter::Peekable;

use proc_macro::{Delimiter, Group, TokenStream, TokenTree, token_stream};

/// Makes a function a test that is checked with every interleaving of its threads.
///
/// `#[raddle::test] fn name() { … }` is `#[test] fn name() { raddle::check(|| { … }) }`. Arguments are settings of
/// `raddle::Check`: `#[raddle::test(max_runs = 1000)]` calls `.max_runs(1000)`. The function may be `async`, and it may
/// return a `Result`, of which an error is a finding.
#[proc_macro_attribute]
pub fn test(settings: TokenStream, function: TokenStream) -> TokenStream {
    expand(settings, function).unwrap_or_else(|message| {
        format!("::core::compile_error!({message:?});")
            .parse()
            .expect("bug in raddle: a message that is not a string literal")
    })
}

/// The parts of a function.
struct Function {
    /// Attributes and visibility: they go to the test.
    outside: TokenStream,
    /// From the qualifiers to the body.
    inside: TokenStream,
    name: TokenTree,
    is_async: bool,
}

fn expand(settings: TokenStream, function: TokenStream) -> Result<TokenStream, String> {
    let function = read_function(function)?;
    let builder = read_settings(settings)?;
    let name = function.name.to_string();
    let call =
        if function.is_async { format!("::raddle::future::block_on({name}())") } else { format!("{name}()") };
    let closure = format!("|| ::raddle::__private::Outcome::expect_success({call})");
    let check = match builder {
        None => format!("::raddle::check({closure});"),
        Some(calls) => format!("::raddle::Check::new(){calls}.check({closure});"),
    };
    let mut body = function.inside;
    body.extend(parse(&check)?);
    let mut test = parse("#[::core::prelude::v1::test]")?;
    test.extend(function.outside);
    test.extend(parse(&format!("fn {name}()"))?);
    test.extend([TokenTree::Group(Group::new(Delimiter::Brace, body))]);
    Ok(test)
}

fn parse(text: &str) -> Result<TokenStream, String> {
    text.parse().map_err(|error| format!("bug in raddle: {error}"))
}

fn read_function(tokens: TokenStream) -> Result<Function, String> {
    let mut tokens = tokens.into_iter().peekable();
    let mut outside = TokenStream::new();
    let mut inside = TokenStream::new();
    let mut is_async = false;
    read_attributes(&mut tokens, &mut outside);
    loop {
        let token = tokens.next().ok_or("`#[raddle::test]` belongs on a function")?;
        match token.to_string().as_str() {
            "pub" => {
                outside.extend([token]);
                if is_group(tokens.peek(), Delimiter::Parenthesis) {
                    outside.extend(tokens.next());
                }
                continue;
            }
            "async" => is_async = true,
            "fn" => {
                inside.extend([token]);
                break;
            }
            "const" | "unsafe" | "extern" => {
                return Err(format!("a test cannot be `{token}`"));
            }
            _ => return Err("`#[raddle::test]` belongs on a function".to_owned()),
        }
        inside.extend([token]);
    }
    let name = tokens.next().ok_or("a function needs a name")?;
    inside.extend([name.clone()]);
    match tokens.next() {
        Some(TokenTree::Group(parameters)) if parameters.delimiter() == Delimiter::Parenthesis => {
            if !parameters.stream().is_empty() {
                return Err("a test has no parameters".to_owned());
            }
            inside.extend([TokenTree::Group(parameters)]);
        }
        _ => return Err("a test cannot be generic".to_owned()),
    }
    inside.extend(tokens);
    Ok(Function { outside, inside, name, is_async })
}

fn read_attributes(tokens: &mut Peekable<token_stream::IntoIter>, into: &mut TokenStream) {
    while matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == '#') {
        into.extend(tokens.next());
        into.extend(tokens.next());
    }
}

fn is_group(token: Option<&TokenTree>, delimiter: Delimiter) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.delimiter() == delimiter)
}

/// Turns `name = value, …` into `.name(value)…`; `None` if there is nothing.
fn read_settings(settings: TokenStream) -> Result<Option<String>, String> {
    let mut calls = String::new();
    let mut tokens = settings.into_iter().peekable();
    while let Some(name) = tokens.next() {
        if !matches!(name, TokenTree::Ident(_)) {
            return Err(format!("expected the name of a setting, found `{name}`"));
        }
        match tokens.next() {
            Some(TokenTree::Punct(punct)) if punct.as_char() == '=' => {}
            _ => return Err(format!("expected `{name} = …`")),
        }
        let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
        let value: TokenStream = std::iter::from_fn(|| tokens.next_if(|token| !is_comma(token))).collect();
        if value.is_empty() {
            return Err(format!("`{name}` needs a value"));
        }
        tokens.next();
        calls.push_str(&format!(".{name}({value})"));
    }
    Ok((!calls.is_empty()).then_some(calls))
}
