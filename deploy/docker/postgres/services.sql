-- Two roles and a database for each service: one that migrates and owns it, and one that reads and writes rows. A service
-- cannot connect to the database of another.
-- Runs once, when the volume is created. Passwords come from the container's environment.
\getenv catalogue CATALOGUE_DB_PASSWORD
\getenv catalogue_owner CATALOGUE_OWNER_DB_PASSWORD
\getenv collaboration COLLABORATION_DB_PASSWORD
\getenv collaboration_owner COLLABORATION_OWNER_DB_PASSWORD
\getenv messenger MESSENGER_DB_PASSWORD
\getenv messenger_owner MESSENGER_OWNER_DB_PASSWORD
\getenv flags FLAGS_DB_PASSWORD
\getenv flags_owner FLAGS_OWNER_DB_PASSWORD
\getenv ingestion INGESTION_DB_PASSWORD
\getenv ingestion_owner INGESTION_OWNER_DB_PASSWORD
\getenv archive ARCHIVE_DB_PASSWORD
\getenv archive_owner ARCHIVE_OWNER_DB_PASSWORD
\getenv analytics ANALYTICS_DB_PASSWORD
\getenv analytics_owner ANALYTICS_OWNER_DB_PASSWORD
\getenv identity IDENTITY_DB_PASSWORD
\getenv identity_owner IDENTITY_OWNER_DB_PASSWORD
\getenv delivery DELIVERY_DB_PASSWORD
\getenv delivery_owner DELIVERY_OWNER_DB_PASSWORD

CREATE ROLE catalogue LOGIN PASSWORD :'catalogue';
CREATE ROLE catalogue_owner LOGIN PASSWORD :'catalogue_owner';
CREATE ROLE collaboration LOGIN PASSWORD :'collaboration';
CREATE ROLE collaboration_owner LOGIN PASSWORD :'collaboration_owner';
CREATE ROLE messenger LOGIN PASSWORD :'messenger';
CREATE ROLE messenger_owner LOGIN PASSWORD :'messenger_owner';
CREATE ROLE flags LOGIN PASSWORD :'flags';
CREATE ROLE flags_owner LOGIN PASSWORD :'flags_owner';
CREATE ROLE ingestion LOGIN PASSWORD :'ingestion';
CREATE ROLE ingestion_owner LOGIN PASSWORD :'ingestion_owner';
CREATE ROLE archive LOGIN PASSWORD :'archive';
CREATE ROLE archive_owner LOGIN PASSWORD :'archive_owner';
CREATE ROLE analytics LOGIN PASSWORD :'analytics';
CREATE ROLE analytics_owner LOGIN PASSWORD :'analytics_owner';
CREATE ROLE identity LOGIN PASSWORD :'identity';
CREATE ROLE identity_owner LOGIN PASSWORD :'identity_owner';
CREATE ROLE delivery LOGIN PASSWORD :'delivery';
CREATE ROLE delivery_owner LOGIN PASSWORD :'delivery_owner';

CREATE DATABASE catalogue OWNER catalogue_owner;
CREATE DATABASE collaboration OWNER collaboration_owner;
CREATE DATABASE messenger OWNER messenger_owner;
CREATE DATABASE flags OWNER flags_owner;
CREATE DATABASE ingestion OWNER ingestion_owner;
CREATE DATABASE archive OWNER archive_owner;
CREATE DATABASE analytics OWNER analytics_owner;
CREATE DATABASE identity OWNER identity_owner;
CREATE DATABASE delivery OWNER delivery_owner;

-- By default every role may connect to every database.
REVOKE ALL ON DATABASE catalogue, collaboration, messenger, flags, ingestion, archive, analytics, identity, delivery, postgres FROM PUBLIC;
GRANT CONNECT ON DATABASE catalogue TO catalogue;
GRANT CONNECT ON DATABASE collaboration TO collaboration;
GRANT CONNECT ON DATABASE messenger TO messenger;
GRANT CONNECT ON DATABASE flags TO flags;
GRANT CONNECT ON DATABASE ingestion TO ingestion;
GRANT CONNECT ON DATABASE archive TO archive;
GRANT CONNECT ON DATABASE analytics TO analytics;
GRANT CONNECT ON DATABASE identity TO identity;
GRANT CONNECT ON DATABASE delivery TO delivery;
