-- Database messenger. Variables: company.
DELETE FROM translated_bytes WHERE company_id = :'company';
