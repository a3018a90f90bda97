-- A role and a database for each service. A service cannot connect to the database of another.
-- Runs once, when the volume is created. Passwords come from the container's environment.
\getenv catalogue CATALOGUE_DB_PASSWORD
\getenv collaboration COLLABORATION_DB_PASSWORD
\getenv messenger MESSENGER_DB_PASSWORD
\getenv flags FLAGS_DB_PASSWORD
\getenv ingestion INGESTION_DB_PASSWORD
\getenv archive ARCHIVE_DB_PASSWORD
\getenv analytics ANALYTICS_DB_PASSWORD

CREATE ROLE catalogue LOGIN PASSWORD :'catalogue';
CREATE ROLE collaboration LOGIN PASSWORD :'collaboration';
CREATE ROLE messenger LOGIN PASSWORD :'messenger';
CREATE ROLE flags LOGIN PASSWORD :'flags';
CREATE ROLE ingestion LOGIN PASSWORD :'ingestion';
CREATE ROLE archive LOGIN PASSWORD :'archive';
CREATE ROLE analytics LOGIN PASSWORD :'analytics';

CREATE DATABASE catalogue OWNER catalogue;
CREATE DATABASE collaboration OWNER collaboration;
CREATE DATABASE messenger OWNER messenger;
CREATE DATABASE flags OWNER flags;
CREATE DATABASE ingestion OWNER ingestion;
CREATE DATABASE archive OWNER archive;
CREATE DATABASE analytics OWNER analytics;

-- By default every role may connect to every database.
REVOKE ALL ON DATABASE catalogue, collaboration, messenger, flags, ingestion, archive, analytics, postgres FROM PUBLIC;
