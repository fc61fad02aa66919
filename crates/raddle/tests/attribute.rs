//! The attribute `#[raddle::test]`.

use raddle::sync::Mutex;
use raddle::thread;

#[raddle::test]
fn a_test_is_checked() {
    let sum = Mutex::new(0);
    thread::scope(|scope| {
        scope.spawn(|| *sum.lock().unwrap() += 1);
        *sum.lock().unwrap() += 1;
    });
    assert_eq!(thread::current().name(), Some("main"));
    assert_eq!(sum.into_inner().unwrap(), 2);
}

/// With documentation and a result.
#[raddle::test]
fn a_test_may_return_a_result() -> Result<(), std::num::ParseIntError> {
    assert_eq!("5".parse::<u32>()?, 5);
    Ok(())
}

#[raddle::test]
async fn a_test_may_be_async() {
    std::future::ready(()).await;
    assert_eq!(thread::current().name(), Some("main"));
}

#[raddle::test(strategy = raddle::Strategy::Random, max_runs = 10)]
fn a_test_may_have_settings() {
    let other = thread::spawn(|| 5);
    assert_eq!(other.join().unwrap(), 5);
}
