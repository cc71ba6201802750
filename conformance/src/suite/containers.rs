//! The engines of `compose.yaml`, each in a container of its own.

use std::time::{Duration, Instant};

use testcontainers::core::{ContainerPort, WaitFor};
use testcontainers::runners::AsyncRunner;
use testcontainers::{ContainerAsync, GenericImage, ImageExt};

use super::{Engine, SuiteError, connect};

/// How long an image may take to be fetched, and its engine to answer.
const PATIENCE: Duration = Duration::from_secs(600);

/// For engines on this machine that are gone with their containers; SQL Server wants one of some strength.
const PASSWORD: &str = "Isogloss_2024";

/// An engine in a container: the images that `compose.yaml` names.
#[derive(Debug, Clone, Copy)]
pub struct Container {
    /// The engine, as [`connect`](super::connect) knows it.
    pub engine: &'static str,
    /// The image.
    pub image: &'static str,
    /// Its tag.
    pub tag: &'static str,
}

/// An engine that runs until this is dropped.
#[derive(Debug)]
pub struct Running {
    /// Where it answers.
    pub url: String,
    _container: ContainerAsync<GenericImage>,
}

const fn image(engine: &'static str, image: &'static str, tag: &'static str) -> Container {
    Container { engine, image, tag }
}

/// Every engine of `compose.yaml`. Clusters and variants, which stand there, too, are reached by their URLs.
pub const CONTAINERS: &[Container] = &[
    image("postgres", "postgres", "12"),
    image("postgres", "postgres", "18"),
    image("mysql", "mysql", "8.0"),
    image("mysql", "mysql", "8.4"),
    image("mysql", "mariadb", "10.6"),
    image("mysql", "mariadb", "11.8"),
    image("sqlserver", "mcr.microsoft.com/mssql/server", "2017-CU31-ubuntu-18.04"),
    image("sqlserver", "mcr.microsoft.com/mssql/server", "2019-CU28-ubuntu-20.04"),
    image("sqlserver", "mcr.microsoft.com/mssql/server", "2022-CU16-ubuntu-22.04"),
    image("oracle", "gvenzl/oracle-free", "23.9-slim-faststart"),
    image("oracle", "gvenzl/oracle-xe", "21.3.0-slim-faststart"),
];

impl Container {
    /// Starts it, and connects to the engine as soon as it answers.
    ///
    /// # Errors
    /// There is no container engine, the image cannot be had, or the engine does not come up in time.
    pub async fn connect(&self) -> Result<(Running, Box<dyn Engine>), SuiteError> {
        let running = self.start().await?;
        let started = Instant::now();
        loop {
            match connect(self.engine, Some(&running.url)).await {
                Ok(engine) => return Ok((running, engine)),
                // What its log calls ready may still be the private start that sets the database up.
                Err(SuiteError::Connect { .. }) if started.elapsed() < PATIENCE => {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn start(&self) -> Result<Running, SuiteError> {
        let failed = |what: &dyn ToString| SuiteError::Engine {
            name: format!("{}:{}", self.image, self.tag),
            what: format!("no container: {}", what.to_string()),
        };
        let port = self.port();
        let image = GenericImage::new(self.image, self.tag)
            .with_exposed_port(ContainerPort::Tcp(port))
            .with_wait_for(self.ready())
            .with_startup_timeout(PATIENCE);
        let image = self.variables().iter().fold(image, |image, (name, value)| image.with_env_var(*name, *value));
        let container = image.start().await.map_err(|error| failed(&error))?;
        let host = container.get_host().await.map_err(|error| failed(&error))?;
        let port = container.get_host_port_ipv4(port).await.map_err(|error| failed(&error))?;
        Ok(Running { url: self.url(&host.to_string(), port), _container: container })
    }

    fn port(&self) -> u16 {
        match self.engine {
            "postgres" => 5432,
            "sqlserver" => 1433,
            "oracle" => 1521,
            _ => 3306,
        }
    }

    /// What its log says when it takes connections, or is about to.
    fn ready(&self) -> WaitFor {
        match (self.engine, self.image) {
            ("postgres", _) => WaitFor::message_on_stdout("PostgreSQL init process complete; ready for start up."),
            ("sqlserver", _) => WaitFor::message_on_stdout("Recovery is complete."),
            ("oracle", _) => WaitFor::message_on_stdout("DATABASE IS READY TO USE!"),
            (_, "mariadb") => WaitFor::message_on_stderr("port: 3306"),
            _ => WaitFor::message_on_stderr("port: 3306  MySQL Community Server"),
        }
    }

    fn variables(&self) -> &'static [(&'static str, &'static str)] {
        match (self.engine, self.image) {
            ("postgres", _) => &[("POSTGRES_PASSWORD", PASSWORD)],
            ("sqlserver", _) => &[("ACCEPT_EULA", "Y"), ("MSSQL_SA_PASSWORD", PASSWORD)],
            ("oracle", _) => {
                &[("ORACLE_PASSWORD", PASSWORD), ("APP_USER", "isogloss"), ("APP_USER_PASSWORD", PASSWORD)]
            }
            (_, "mariadb") => &[("MARIADB_ROOT_PASSWORD", PASSWORD)],
            _ => &[("MYSQL_ROOT_PASSWORD", PASSWORD)],
        }
    }

    fn url(&self, host: &str, port: u16) -> String {
        match (self.engine, self.image) {
            ("postgres", _) => format!("postgres://postgres:{PASSWORD}@{host}:{port}/postgres"),
            ("sqlserver", _) => format!("sqlserver://sa:{PASSWORD}@{host}:{port}/master"),
            ("oracle", "gvenzl/oracle-free") => format!("oracle://isogloss:{PASSWORD}@{host}:{port}/FREEPDB1"),
            ("oracle", _) => format!("oracle://isogloss:{PASSWORD}@{host}:{port}/XEPDB1"),
            _ => format!("mysql://root:{PASSWORD}@{host}:{port}/mysql"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_images_are_those_of_the_compose_file() {
        let compose = include_str!("../../compose.yaml");
        // What stands before the services is a part of several: of a cluster.
        let (_, services) = compose.split_once("\nservices:\n").unwrap();
        let named = services.lines().filter_map(|line| line.trim().strip_prefix("image: "));
        let by_url = ["pingcap/tidb", "vitess/vttestserver"];
        let named: Vec<&str> = named.filter(|image| !by_url.iter().any(|other| image.starts_with(other))).collect();
        let started: Vec<String> = CONTAINERS.iter().map(|one| format!("{}:{}", one.image, one.tag)).collect();
        assert_eq!(named, started);
    }
}
