//! The engine: what all queries share. Threads, memory, the cache of columns and the places to run in.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use datafusion_common::config::ConfigNonZeroUsize;
use datafusion_execution::TaskContext;
use datafusion_execution::config::SessionConfig;
use datafusion_execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion_execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use tidegauge_cache::partials::{Checked, Disk, PartialCache};
use tidegauge_cache::{ColumnCache, Keeping};
use tidegauge_store::Store;
use tokio::runtime::Runtime;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use crate::context::QueryContext;
use crate::lanes::{Crowd, Lanes};
use crate::memory::{Measured, QueryMemory, SharedMemory};
use crate::run::answer;
use crate::spill::{SpillFigures, SpillSpace};
use crate::turns::{self, InTurns, Turns, Watch};
use crate::{Answer, Error, Held, Question, Result};

/// What each thread that sorts has set aside for merging what it put on the disk: a share of the query's memory, because
/// a query with little would fail by whether two threads sort at the same time.
const SORT_SHARE: usize = 32;
const SORT_BYTES_MAX: usize = 10 << 20;

/// How large a file grows through which threads hand rows to each other when memory is short: one batch is more. Where
/// several write and the first file goes on, who reads waits for more of it even if the next batch is in the second; and
/// who writes waits until something was read.
const SPREAD_FILE_BYTES: usize = 1;

/// How much stack a thread of queries may use. Each stage that needs all rows is a plan around the one before it, and
/// is asked for rows through it, so that the longest queries go deep. What is not used takes no memory.
const STACK_BYTES: usize = 32 << 20;

/// An answer has at most this part of its query's memory: its text takes about as much once more.
const ANSWER_PART: usize = 4;

/// A hash of what computes the states of groups, for which alone those on the disk are good.
const COMPUTED_BY: &str = env!("TIDEGAUGE_COMPUTED_BY");

/// What all queries together may use.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// How many threads compute answers, apart from those that serve requests.
    pub threads: usize,
    /// Memory for all queries, in bytes, and the share that one of them may have.
    pub memory_bytes: usize,
    pub query_memory_bytes: usize,
    /// Memory for what is kept for later queries: columns in decoded form, and the groups of blocks.
    pub cache_bytes: usize,
    pub groups_bytes: usize,
    /// Where the groups of blocks are also kept, for after a restart, and how many bytes of it; 0 is nowhere.
    pub groups_folder: PathBuf,
    pub groups_disk_bytes: u64,
    /// One of so many answers from kept groups has some of them computed anew and compared, afterwards; 0 is none.
    pub groups_checked_each: u64,
    /// Where queries put what does not fit their memory. Emptied at start.
    pub spill_folder: PathBuf,
    /// How many bytes of it all queries together may fill.
    pub spill_bytes_max: u64,
    /// How many queries of one lane run at once, and how many may wait.
    pub running_max: usize,
    pub waiting_max: usize,
}

/// Runs queries over a store.
#[derive(Debug)]
pub struct Engine {
    store: Arc<Store>,
    settings: EngineSettings,
    memory: Arc<SharedMemory>,
    keeping: Arc<Keeping>,
    lanes: Lanes,
    turns: Arc<Turns>,
    _watch: Watch,
    /// What operators use beside the memory and the disk of their query.
    environment: RuntimeEnv,
    /// Where they spill: one for all queries, so that its bound holds for all of them together.
    spill: Arc<SpillSpace>,
    /// The threads of queries. There until the engine is dropped.
    threads: Option<Runtime>,
}

impl Engine {
    pub fn new(store: Arc<Store>, settings: EngineSettings) -> Result<Self> {
        let failed =
            |what: &str, source: std::io::Error| Error::Internal { message: format!("{what}: {source}") };
        // What is left there is from queries that a crash cut off.
        match std::fs::remove_dir_all(&settings.spill_folder) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(failed("cannot empty the spill folder", source));
            }
            _ => {}
        }
        tidegauge_store::make_folder(&settings.spill_folder)
            .map_err(|source| failed("cannot make the spill folder", source))?;
        let folder = DiskManagerMode::Directories(vec![settings.spill_folder.clone()]);
        let disk = DiskManagerBuilder::default()
            .with_mode(folder)
            .with_max_temp_directory_size(settings.spill_bytes_max);
        let environment = RuntimeEnvBuilder::new().with_disk_manager_builder(disk).build()?;
        let disk = match settings.groups_bytes > 0 && settings.groups_disk_bytes > 0 {
            true => Disk::open(&settings.groups_folder, settings.groups_disk_bytes, COMPUTED_BY).map(Some),
            // What was kept there under other settings would not be forgotten with its segments.
            false => Disk::clear(&settings.groups_folder).map(|()| None),
        };
        let disk = disk.map_err(|source| failed("cannot open the folder of kept groups", source))?;
        let partials = PartialCache::new(settings.groups_bytes, disk, settings.groups_checked_each);
        turns::spread_to_operators();
        let turns = Turns::new(settings.threads);
        let watch = Watch::begin(&turns)
            .map_err(|source| failed("cannot start the thread that watches turns", source))?;
        // Last: without an engine that sees to their end, threads must not be dropped where this is called.
        let threads = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(Turns::threads(settings.threads))
            .thread_name("query")
            // Work in turns is never long in the threads' own queues, so who comes new must not wait behind those.
            .global_queue_interval(1)
            .thread_stack_size(STACK_BYTES)
            .on_thread_start(turns::give_way_to_requests)
            .enable_all()
            .build()
            .map_err(|source| failed("cannot start the threads of queries", source))?;
        turns.compute_on(threads.handle());
        Ok(Self {
            keeping: Keeping::new(ColumnCache::new(settings.cache_bytes), partials, &store),
            store,
            spill: Arc::new(SpillSpace::new(Arc::clone(&environment.disk_manager))),
            environment,
            memory: Arc::new(SharedMemory::new(settings.memory_bytes)),
            lanes: Lanes::new(settings.running_max, settings.waiting_max),
            turns,
            _watch: watch,
            threads: Some(threads),
            settings,
        })
    }

    /// Answers a question. Dropping the future stops the work.
    pub async fn run(&self, question: Question) -> Result<Answer> {
        let answer = self.run_to_write(question).await?;
        Ok(Answer { held: Held::default(), ..answer })
    }

    /// The same for an answer that is written somewhere: the query keeps its place until the answer is dropped, so that
    /// who asks for long answers has no more of them written at once than queries run. Whoever has such an answer and asks
    /// for another one may wait for itself.
    pub async fn run_to_write(&self, mut question: Question) -> Result<Answer> {
        let answer_bytes_max = self.settings.query_memory_bytes / ANSWER_PART;
        question.options.answer_bytes_max = question.options.answer_bytes_max.min(answer_bytes_max);
        let asker = question.options.asker.clone();
        let place = self.lanes.enter(question.options.lane, &asker).await?;
        let Some(threads) = &self.threads else { return Err(Error::Busy) };
        let memory = Arc::new(QueryMemory::new(
            Arc::clone(&self.memory),
            self.settings.query_memory_bytes,
            &asker.org,
        ));
        let query = QueryContext {
            store: Arc::clone(&self.store),
            cache: (!question.options.bypasses_cache).then(|| self.keeping.read()),
            // What a dry run finds is nothing, which must not be kept for others.
            partials: (!question.options.bypasses_cache
                && !question.options.is_dry
                && self.settings.groups_bytes > 0)
                .then(|| Arc::clone(&self.keeping.partials)),
            context: self.context(&memory, &asker.org)?,
            threads: self.settings.threads.max(1),
            memory: Arc::clone(&memory),
            question: Arc::new(question),
            began: Instant::now(),
            work: Mutex::default(),
            is_answered: false,
        };
        let heap = Arc::new(Measured::new(Arc::clone(&memory)));
        let share = self.turns.share(&asker, Some(Arc::clone(&heap)));
        let task = AbortOnDropHandle::new(threads.spawn(InTurns::new(share, answer(query))));
        let answer = tokio::select! {
            answer = task => match answer {
                Ok(answer) => answer,
                Err(source) => Err(Error::Internal { message: format!("the query stopped: {source}") }),
            },
            // It gets no further turn, and is dropped here.
            () = heap.over() => Err(memory.refusal()),
        };
        match answer {
            Ok(answer) => {
                let held = Held::new(place, memory, answer.memory_bytes());
                Ok(Answer { held, ..answer })
            }
            Err(Error::Memory { .. }) => Err(memory.refusal()),
            Err(other) => Err(other),
        }
    }

    /// How many queries run and wait.
    pub fn crowd(&self) -> Crowd {
        self.lanes.counts()
    }

    /// Bytes that queries hold now, and what is kept for later ones.
    pub fn memory_used(&self) -> (usize, usize) {
        (self.memory.used(), self.keeping.columns.bytes() + self.keeping.partials.bytes())
    }

    /// What queries put on the disk.
    pub fn spilled(&self) -> SpillFigures {
        self.spill.figures()
    }

    /// How kept groups compared with computed ones so far.
    pub fn groups_checked(&self) -> Checked {
        self.keeping.partials.checked()
    }

    /// What the operators of one query share: its own memory, and its organisation's part of the disk.
    fn context(&self, memory: &Arc<QueryMemory>, org: &Arc<str>) -> Result<Arc<TaskContext>> {
        let disk_manager = self.spill.for_query(org)?;
        let environment =
            RuntimeEnv { memory_pool: Arc::clone(memory) as _, disk_manager, ..self.environment.clone() };
        let mut config = SessionConfig::new()
            .with_target_partitions(self.settings.threads.max(1))
            .with_sort_spill_reservation_bytes((memory.max() / SORT_SHARE).min(SORT_BYTES_MAX));
        if let Ok(bytes) = ConfigNonZeroUsize::try_new(SPREAD_FILE_BYTES) {
            config.options_mut().execution.max_spill_file_size_bytes = bytes;
        }
        let context = TaskContext::default().with_session_config(config).with_runtime(Arc::new(environment));
        Ok(Arc::new(context))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.turns.stop();
        // Waiting for threads is not allowed where the engine may be dropped.
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
    }
}
