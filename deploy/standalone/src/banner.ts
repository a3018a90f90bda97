import type { PreparedDemo } from '@switchboard/demo';
import type { Addresses } from './addresses.ts';

interface Started extends PreparedDemo {
  urls: Addresses['urls'];
}

/** Returns the text printed once everything is ready: addresses, keys, a report to open, and commands to paste. */
export function banner({ demo, urls, sharedReportUrl }: Started, home: string, seconds: number): string {
  const key = demo.project_key;
  return `
Switchboard is ready (${seconds.toFixed(1)} s). Ctrl-C stops it; data is kept in ${home}

  Start here     ${urls.api}
  Console        ${urls.console}
  Demo shop      ${urls.api}/demo

  API            ${urls.api}
  Events         ${urls.events}
  Replay         ${urls.replay}
  Management     ${urls.management}
  Project        ${demo.project_id}
  Project key    ${key}
  Keys, tokens   ${home}/demo.json
  Reference      ${urls.api}/docs
${sharedReportUrl === undefined ? '' : `  Report         ${sharedReportUrl}\n`}
Set a person's traits, send an event, evaluate every flag for that person, and a few seconds later count events and
run the report again:

curl -sS ${urls.events}/v1/identify -H 'Authorization: Bearer ${key}' -d '{"distinct_id":"ada","properties":{"plan":"pro","email":"ada@example.com"}}'

curl -sS ${urls.events}/v1/events -H 'Authorization: Bearer ${key}' -d '{"sent_at":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'","events":[{"event_id":"'$(date +%s%N)'","distinct_id":"ada","event_name":"order placed","schema_version":1,"timestamp":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'"}]}'

curl -sS '${urls.api}/v1/flags?distinct_id=ada&reasons=true' -H 'Authorization: Bearer ${key}'

curl -sS ${urls.api}/v1/projects/${demo.project_id}/insights -H 'Authorization: Bearer ${demo.tokens.owner}' -H 'Content-Type: application/json' -d '{"kind":"trends","range":{"last":7,"unit":"day"},"series":[{"event":"order placed"}]}'

curl -sS -X POST ${urls.management}/management/v1/projects/${demo.project_id}/reports/rep_orders/run -H 'Authorization: Bearer ${demo.tokens.operator}'

`;
}
