//! Finding and preparing; starting is tested with the real host as a process.

use super::*;

#[test]
fn an_explicit_path_that_is_no_file_finds_nothing() {
    assert_eq!(
        find_reaper(Some(std::path::Path::new("/no/such/reaper"))),
        None,
        "a wrong path must not silently fall back to another REAPER"
    );
}

#[test]
fn a_worker_folder_has_what_a_host_needs_and_vanishes() {
    let folder = tempfile::tempdir().unwrap();
    let user = folder.path().join("user");
    std::fs::create_dir(&user).unwrap();
    std::fs::write(user.join("reaper-license.rk"), "key").unwrap();
    let root = folder.path().join("work");
    let worker = Worker::create(&root, Some(&user)).unwrap();
    assert!(worker.script().is_file());
    assert!(worker.ipc().is_dir());
    let ini = std::fs::read_to_string(worker.ini()).unwrap();
    assert!(ini.contains("\nverchk=0\n"));
    assert!(root.join("resources/reaper-license.rk").is_file());
    assert_ne!(
        worker.token(),
        Worker::create(&folder.path().join("two"), None)
            .unwrap()
            .token()
    );
    drop(worker);
    assert!(!root.exists());
}
