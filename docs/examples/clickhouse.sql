-- Reads the topic events into ClickHouse: docs/events.md. Set the brokers first.
CREATE TABLE events_queue
(
    distinct_id String,
    event_id String,
    event_name String,
    schema_version Int64,
    occurred_at String,
    session_id Nullable(String),
    properties String,
    context String
)
ENGINE = Kafka
SETTINGS kafka_broker_list = 'kafka:9092',
         kafka_topic_list = 'events',
         kafka_group_name = 'clickhouse',
         kafka_format = 'JSONEachRow',
         kafka_handle_error_mode = 'stream',
         input_format_skip_unknown_fields = 1,
         input_format_json_read_objects_as_strings = 1;

CREATE TABLE events
(
    project_id LowCardinality(String),
    distinct_id String,
    event_id String,
    event_name LowCardinality(String),
    schema_version Int64,
    occurred_at DateTime64(3, 'UTC'),
    received_at DateTime64(3, 'UTC'),
    session_id Nullable(String),
    properties String,
    context String
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(occurred_at)
ORDER BY (project_id, toDate(occurred_at), event_name, distinct_id, event_id);

CREATE MATERIALIZED VIEW events_reader TO events AS
SELECT
    _key AS project_id,
    distinct_id,
    event_id,
    event_name,
    schema_version,
    parseDateTime64BestEffort(occurred_at, 3, 'UTC') AS occurred_at,
    parseDateTime64BestEffort(
        _headers.value[indexOf(_headers.name, 'received_at')], 3, 'UTC') AS received_at,
    session_id,
    properties,
    context
FROM events_queue
WHERE length(_error) = 0;
