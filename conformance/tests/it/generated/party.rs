//! Who is asked about a case: an engine that runs it, or the judges of an engine that is not at hand.

use isogloss_compiler::model::TextMode;
use isogloss_conformance::data::Data;

use crate::generated::case::Case;
use crate::generated::check::{self, Outcome};
use crate::generated::engine::Engine;
use crate::generated::judged::Judged;
use crate::generated::world::World;

/// An engine or a judge.
pub enum Party {
    Engine(Engine),
    Judged(Judged),
}

impl Party {
    /// Everyone who can be reached, with texts compared so.
    pub async fn all(world: &World, mode: TextMode) -> Vec<Self> {
        let engines = Engine::all(world, mode).await.into_iter().map(Self::Engine);
        engines.chain(Judged::all(&world.catalog, mode).into_iter().map(Self::Judged)).collect()
    }

    pub fn name(&self) -> &str {
        match self {
            Self::Engine(engine) => &engine.name,
            Self::Judged(judged) => &judged.name,
        }
    }

    /// Puts these rows in place of those that are there.
    pub async fn load(&mut self, data: &Data) {
        if let Self::Engine(engine) = self {
            engine.load(data).await;
        }
    }

    /// What comes of a case.
    pub async fn check(&mut self, case: &Case) -> Outcome {
        match self {
            Self::Engine(engine) => check::check(engine, case).await,
            // A judge is waited for.
            Self::Judged(judged) => tokio::task::block_in_place(|| judged.check(case)),
        }
    }

    /// Takes away what was made.
    pub async fn leave(self) {
        if let Self::Engine(engine) = self {
            engine.leave().await;
        }
    }
}
