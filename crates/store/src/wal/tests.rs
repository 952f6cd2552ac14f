//! The WAL on a real folder: what it recovers, and what it reports as damaged.

mod groups;
mod heads;

use std::path::Path;
use std::sync::{Arc, Mutex};

use tidegauge_model::{Columns, DatasetId};

use super::file::{FileHead, WalFile};
use super::{Accept, DatasetKey, Recovered, Wal, WalSettings, recover};
use crate::disk::{Disk, MachineDisk};
use crate::wal_batch::{Encoder, Receipt, WalBatch};

const DATASET: &str = "dataset_01890a5dac96774bbcceb302099a8057";

#[derive(Default)]
struct Kept(Mutex<Vec<(u64, usize)>>);

impl Accept for Kept {
    fn accept(&self, sequence: u64, payload: WalBatch) {
        self.0.lock().unwrap().push((sequence, payload.rows()));
    }
}

fn settings(folder: &Path) -> WalSettings {
    let (wal, quarantine) = (folder.join("log"), folder.join("quarantine"));
    WalSettings { folder: wal, quarantine, file_bytes: 4096, disk: Arc::new(MachineDisk) }
}

fn payload(rows: usize) -> WalBatch {
    let columns = Columns { times: (0..rows as i64).collect(), columns: Vec::new() };
    Encoder::encode(&columns, Receipt::default())
}

/// Sequences with the rows of their batches.
type Records = Vec<(u64, usize)>;

/// Opens the WAL, appends batches of these many rows, and returns what was recovered before and what was accepted.
fn open_and_append(folder: &Path, appends: &[usize]) -> (Records, Records, Vec<String>) {
    let settings = settings(folder);
    std::fs::create_dir_all(&settings.folder).unwrap();
    let mut found = Vec::new();
    let recovered = recover(&settings, &mut |dataset, sequence, payload| {
        assert_eq!(dataset, DatasetId::from(DATASET));
        found.push((sequence, payload.rows()));
    })
    .unwrap();
    let damage = recovered.damage.iter().map(ToString::to_string).collect();
    let wal = Wal::open(settings, &recovered, recovered.last_sequence).unwrap();
    let kept = Arc::new(Kept::default());
    for rows in appends {
        let key = DatasetKey::of(&DatasetId::from(DATASET)).unwrap();
        let answer = wal.append(key, payload(*rows), Arc::clone(&kept) as Arc<dyn Accept>).unwrap();
        answer.blocking_recv().unwrap().unwrap();
    }
    wal.close();
    let accepted = kept.0.lock().unwrap().clone();
    (found, accepted, damage)
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder.join("log")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn what_was_acknowledged_is_found_again_in_order_over_many_files() {
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<usize> = (1..200).chain([2000]).collect();
    let (_, accepted, _) = open_and_append(folder.path(), &rows);
    assert!(files(folder.path()).len() > 10);
    let (found, _, damage) = open_and_append(folder.path(), &[]);
    assert_eq!(found, accepted);
    assert_eq!(damage, Vec::<String>::new());
    let (found, accepted, _) = open_and_append(folder.path(), &[7]);
    assert_eq!((found.len(), accepted), (200, vec![(201, 7)]));
}

#[test]
fn a_record_that_was_cut_off_at_the_end_is_dropped_without_alarm() {
    let folder = tempfile::tempdir().unwrap();
    open_and_append(folder.path(), &[1, 2, 3]);
    let last = files(folder.path()).pop().unwrap();
    let bytes = std::fs::read(&last).unwrap();
    std::fs::write(&last, &bytes[..bytes.len() - 5]).unwrap();
    let (found, accepted, damage) = open_and_append(folder.path(), &[4]);
    assert_eq!((found, damage.len()), (vec![(1, 1), (2, 2)], 0));
    // The sequence of the record that was cut off was never acknowledged in this life of the WAL.
    assert_eq!(accepted, [(3, 4)]);
}

/// A log with records 1 and 2, and a third that was refused, of which some bytes at the end are missing. The next file is
/// begun.
fn refused(missing_bytes: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    open_and_append(folder.path(), &[1, 2, 3]);
    let first = files(folder.path()).remove(0);
    let bytes = std::fs::read(&first).unwrap();
    std::fs::write(&first, &bytes[..bytes.len() - missing_bytes]).unwrap();
    let head = FileHead { first_sequence: 4, acknowledged: 2 };
    let settings = settings(folder.path());
    WalFile::create(&settings.disk, &settings.folder, head, 4096).unwrap().end();
    folder
}

/// Takes the record of a log with one, and puts it into another, as the first one behind the head of a file.
fn put_record(from: &Path, to: &Path) {
    let bytes = std::fs::read(from).unwrap();
    let mut all = std::fs::read(to).unwrap();
    all.extend_from_slice(&bytes[24..]);
    std::fs::write(to, all).unwrap();
}

#[test]
fn what_was_refused_and_could_not_be_taken_away_is_not_found_beside_its_repetition() {
    for missing_bytes in [0, 5] {
        let folder = refused(missing_bytes);
        // The fourth is the third again, in the file that was begun then.
        let other = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(settings(other.path()).folder).unwrap();
        let recovered = recover(&settings(other.path()), &mut |_, _, _| ()).unwrap();
        let wal = Wal::open(settings(other.path()), &recovered, 3).unwrap();
        let key = DatasetKey::of(&DatasetId::from(DATASET)).unwrap();
        let answer = wal.append(key, payload(3), Arc::new(Kept::default())).unwrap();
        assert_eq!(answer.blocking_recv().unwrap().unwrap(), 4);
        drop(wal);
        put_record(&files(other.path())[0], &files(folder.path())[1]);
        for _ in 0..3 {
            let (found, _, damage) = open_and_append(folder.path(), &[]);
            assert_eq!((found, damage), (vec![(1, 1), (2, 2), (4, 3)], Vec::new()), "{missing_bytes}");
        }
    }
}

#[test]
fn what_was_refused_may_be_found_as_long_as_it_was_not_repeated() {
    let folder = refused(0);
    let (found, accepted, damage) = open_and_append(folder.path(), &[4]);
    assert_eq!((found, damage), (vec![(1, 1), (2, 2), (3, 3)], Vec::new()));
    assert_eq!(accepted, [(4, 4)]);
}

#[test]
fn a_sequence_that_was_refused_is_not_missed_later() {
    let folder = refused(5);
    for _ in 0..3 {
        let (found, _, damage) = open_and_append(folder.path(), &[]);
        assert_eq!((found, damage), (vec![(1, 1), (2, 2)], Vec::new()));
    }
    let (_, accepted, _) = open_and_append(folder.path(), &[4]);
    assert_eq!(accepted, [(4, 4)]);
}

#[test]
fn a_file_of_which_half_the_head_was_written_says_nothing_of_those_before() {
    let folder = tempfile::tempdir().unwrap();
    let (_, accepted, _) = open_and_append(folder.path(), &[1, 2, 3]);
    let whole = std::fs::read(&files(folder.path())[0]).unwrap();
    for head_bytes in 0..24 {
        // With space that was taken in advance, as it is made.
        let mut begun = vec![0; 4096];
        begun[..head_bytes].copy_from_slice(&whole[..head_bytes]);
        begun[8..16.min(head_bytes.max(8))]
            .copy_from_slice(&4_u64.to_le_bytes()[..head_bytes.clamp(8, 16) - 8]);
        std::fs::write(folder.path().join("log/0000000000000004.log"), begun).unwrap();
        let (found, _, damage) = open_and_append(folder.path(), &[]);
        assert_eq!((found, damage), (accepted.clone(), Vec::new()), "{head_bytes}");
    }
}

#[test]
fn a_flipped_byte_is_quarantined_and_named_and_the_rest_is_found() {
    let folder = tempfile::tempdir().unwrap();
    open_and_append(folder.path(), &[10, 20, 30, 40]);
    let file = files(folder.path()).remove(0);
    let mut bytes = std::fs::read(&file).unwrap();
    // Inside the batch of the second record: the first takes 24 + 48 + 48 + 80 bytes.
    bytes[24 + 176 + 48 + 60] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    let (found, _, damage) = open_and_append(folder.path(), &[]);
    assert_eq!(found, [(1, 10), (3, 30), (4, 40)]);
    assert_eq!(damage.len(), 1);
    assert!(damage[0].starts_with(&format!("sequences 2 to 2 of {DATASET} cannot be read")), "{}", damage[0]);
    assert_eq!(std::fs::read_dir(folder.path().join("quarantine")).unwrap().count(), 2);
}

#[test]
fn an_older_file_that_lost_its_end_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<usize> = (1..100).collect();
    open_and_append(folder.path(), &rows);
    let first = files(folder.path()).remove(0);
    let bytes = std::fs::read(&first).unwrap();
    std::fs::write(&first, &bytes[..300]).unwrap();
    let (found, _, damage) = open_and_append(folder.path(), &[]);
    assert!(!damage.is_empty() && found.len() < 99, "{damage:?}");
    let missing: Vec<u64> = (1..100).filter(|sequence| !found.iter().any(|(at, _)| at == sequence)).collect();
    let all = damage.join("\n");
    assert!(all.contains(&format!("sequences {} to {}", missing[0], missing[missing.len() - 1])), "{all}");
}

#[test]
fn files_go_once_nobody_needs_them() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(folder.path());
    std::fs::create_dir_all(&settings.folder).unwrap();
    let recovered = recover(&settings, &mut |_, _, _| ()).unwrap();
    let wal = Wal::open(settings, &recovered, 41).unwrap();
    let kept = Arc::new(Kept::default());
    let key = DatasetKey::of(&DatasetId::from(DATASET)).unwrap();
    for _ in 0..50 {
        let answer = wal.append(key, payload(30), Arc::clone(&kept) as Arc<dyn Accept>).unwrap();
        answer.blocking_recv().unwrap().unwrap();
    }
    assert_eq!(wal.last_sequence(), 91);
    let before = wal.bytes();
    wal.release(60);
    assert!(wal.bytes() < before);
    wal.release(u64::MAX);
    drop(wal);
    // The file that was written to stays: it knows the last sequence.
    assert_eq!(files(folder.path()).len(), 1);
    let (found, accepted, damage) = open_and_append(folder.path(), &[1]);
    assert!(found.len() < 20 && damage.is_empty());
    assert_eq!(accepted, [(92, 1)]);
}

#[test]
fn files_go_in_their_order_also_when_one_cannot_be_deleted() {
    let folder = tempfile::tempdir().unwrap();
    // Room for one record in each file.
    let wal = open_empty(folder.path(), 96);
    let kept = Arc::new(Kept::default());
    let key = DatasetKey::of(&DatasetId::from(DATASET)).unwrap();
    for _ in 0..4 {
        let answer = wal.append(key, payload(1), Arc::clone(&kept) as Arc<dyn Accept>).unwrap();
        answer.blocking_recv().unwrap().unwrap();
    }
    let before = files(folder.path());
    let (second, away) = (&before[1], folder.path().join("away"));
    std::fs::rename(second, &away).unwrap();
    // What is no file is not deleted.
    std::fs::create_dir(second).unwrap();
    wal.release(u64::MAX);
    assert_eq!(files(folder.path()), before[1..], "there is no gap");
    std::fs::remove_dir(second).unwrap();
    std::fs::rename(&away, second).unwrap();
    wal.release(u64::MAX);
    assert_eq!(files(folder.path()).len(), 1);
}

/// A disk that notes what is done to names.
#[derive(Debug, Default)]
struct Noting(Mutex<Vec<&'static str>>);

impl Disk for Noting {
    fn remove(&self, path: &Path) -> std::io::Result<()> {
        self.0.lock().unwrap().push("remove");
        MachineDisk.remove(path)
    }

    fn sync_folder(&self, folder: &Path) -> std::io::Result<()> {
        self.0.lock().unwrap().push("sync");
        MachineDisk.sync_folder(folder)
    }
}

#[test]
fn a_power_cut_brings_no_file_back_without_those_behind_it() {
    let folder = tempfile::tempdir().unwrap();
    let disk = Arc::new(Noting::default());
    let settings =
        WalSettings { file_bytes: 96, disk: Arc::clone(&disk) as Arc<dyn Disk>, ..settings(folder.path()) };
    std::fs::create_dir_all(&settings.folder).unwrap();
    let wal = Wal::open(settings, &Recovered::default(), 0).unwrap();
    let kept = Arc::new(Kept::default());
    let key = DatasetKey::of(&DatasetId::from(DATASET)).unwrap();
    for _ in 0..5 {
        let answer = wal.append(key, payload(1), Arc::clone(&kept) as Arc<dyn Accept>).unwrap();
        answer.blocking_recv().unwrap().unwrap();
    }
    disk.0.lock().unwrap().clear();
    // At once, and one after the other.
    [3, 4, 5].into_iter().for_each(|below| wal.release(below));
    assert_eq!(disk.0.lock().unwrap().join(" "), "remove sync remove sync remove sync remove");
}

/// Waits in the middle of a write until another task has run, and notes on which threads it was called.
struct Patient {
    told: Mutex<std::sync::mpsc::Receiver<()>>,
    threads: Mutex<Vec<Option<String>>>,
}

impl Accept for Patient {
    fn accept(&self, _: u64, _: WalBatch) {
        self.threads.lock().unwrap().push(std::thread::current().name().map(str::to_owned));
        let waited = self.told.lock().unwrap().recv_timeout(std::time::Duration::from_secs(1_200));
        assert_eq!(waited, Ok(()), "the other task was kept waiting");
    }
}

fn open_empty(folder: &Path, file_bytes: u64) -> Wal {
    let settings = WalSettings { file_bytes, ..settings(folder) };
    std::fs::create_dir_all(&settings.folder).unwrap();
    let recovered = recover(&settings, &mut |_, _, _| ()).unwrap();
    Wal::open(settings, &recovered, 0).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_write_keeps_no_other_task_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let wal = open_empty(folder.path(), 1 << 20);
    let (tell, told) = std::sync::mpsc::channel();
    let patient = Arc::new(Patient { told: Mutex::new(told), threads: Mutex::default() });
    let accept = Arc::clone(&patient) as Arc<dyn Accept>;
    let key = DatasetKey::of(&DatasetId::from(DATASET)).unwrap();
    let (begin, begun) = tokio::sync::oneshot::channel();
    // Both run on the one thread that there is.
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(async move {
        begin.send(()).unwrap();
        assert_eq!(wal.append(key, payload(1), accept).unwrap().await.unwrap().unwrap(), 1);
    });
    begun.await.unwrap();
    tasks.spawn(async move { tell.send(()).unwrap() });
    tasks.join_all().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn files_are_written_and_begun_by_the_thread_of_the_log_alone() {
    let folder = tempfile::tempdir().unwrap();
    // Room for one record in each file.
    let wal = open_empty(folder.path(), 96);
    let (tell, told) = std::sync::mpsc::channel();
    let patient = Arc::new(Patient { told: Mutex::new(told), threads: Mutex::default() });
    let key = DatasetKey::of(&DatasetId::from(DATASET)).unwrap();
    for _ in 0..4 {
        tell.send(()).unwrap();
        wal.append(key, payload(1), Arc::clone(&patient) as Arc<dyn Accept>).unwrap().await.unwrap().unwrap();
    }
    let threads = patient.threads.lock().unwrap().clone();
    assert_eq!(threads, vec![Some("log".to_owned()); 4]);
    assert!(files(folder.path()).len() >= 4);
}

#[test]
fn a_file_without_records_is_not_given_up_for_deletion_when_the_next_cannot_be_made() {
    let folder = tempfile::tempdir().unwrap();
    // Too small for the request, so that a larger one is made, of the same name.
    let wal = open_empty(folder.path(), 96);
    let kept = Arc::new(Kept::default());
    let key = DatasetKey::of(&DatasetId::from(DATASET)).unwrap();
    let append = || {
        let answer = wal.append(key, payload(100), Arc::clone(&kept) as Arc<dyn Accept>).unwrap();
        answer.blocking_recv().unwrap()
    };
    let (here, away) = (folder.path().join("log"), folder.path().join("away"));
    std::fs::rename(&here, &away).unwrap();
    assert!(append().is_err());
    let listed: Vec<_> = wal.shared.lock().closed.iter().map(|file| file.path.clone()).collect();
    assert_eq!(listed, Vec::<std::path::PathBuf>::new(), "the next file has that name");
    std::fs::rename(&away, &here).unwrap();
    assert_eq!(append().unwrap(), 1);
    wal.release(u64::MAX);
    drop(wal);
    let (found, _, damage) = open_and_append(folder.path(), &[]);
    assert_eq!((found, damage), (vec![(1, 100)], Vec::new()));
}
