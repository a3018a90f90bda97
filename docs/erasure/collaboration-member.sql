-- Database collaboration. Variables: person.
BEGIN;
UPDATE comments SET body = NULL, mentions = '{}', deleted_at = now() WHERE author_sub = :'person' AND deleted_at IS NULL;
DELETE FROM reactions WHERE sub = :'person';
DELETE FROM annotations WHERE created_by_sub = :'person';
DELETE FROM deliveries WHERE recipient_sub = :'person' OR share_id IN (SELECT id FROM shares WHERE sender_sub = :'person');
DELETE FROM shares WHERE sender_sub = :'person';
COMMIT;
