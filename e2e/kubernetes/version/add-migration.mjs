// Runs in an image: appends a migration with this SQL to those of SERVICE.
import { readFileSync, writeFileSync } from 'node:fs';

const { SERVICE, SQL } = process.env;
const folder = `/app/assets/service-${SERVICE}/migrations`;
const journal = `${folder}/meta/_journal.json`;
const { entries, ...rest } = JSON.parse(readFileSync(journal, 'utf8'));
const tag = `${String(entries.length).padStart(4, '0')}_next_version`;
const when = Math.max(...entries.map((entry) => entry.when)) + 1;
entries.push({ idx: entries.length, version: '7', when, tag, breakpoints: true });
writeFileSync(`${folder}/${tag}.sql`, SQL);
writeFileSync(journal, JSON.stringify({ ...rest, entries }));
