import { codeBlocks } from '@switchboard/testkit';
import { describe, expect, test } from 'vitest';
import { planOf } from './plan.ts';
import { withPorts } from './reader.ts';
import { hasShape } from './shown-answer.ts';

const planOfBlocks = (...blocks: string[]) =>
  planOf({ path: 'page.md', blocks: blocks.flatMap((text) => codeBlocks(`\`\`\`sh\n${text}\n\`\`\`\n`)) });

describe('the plan of a page', () => {
  test('includes commands inside functions, substitutions and pipes', () => {
    const { run, notRun, refused } = planOfBlocks(
      `field() { node -p 1; }\nid=$(curl -sS http://127.0.0.1:4000/ | field)`,
      'echo "$(field)" | base64',
    );
    expect(run.map(({ text }) => text)).toEqual([
      'field() { node -p 1; }',
      'id=$(curl -sS http://127.0.0.1:4000/ | field)',
      'echo "$(field)" | base64',
    ]);
    expect({ notRun, refused }).toEqual({ notRun: [], refused: [] });
  });

  test('skips the rest of a block after a command that cannot run here', () => {
    const { run, notRun, known } = planOfBlocks('docker ps\necho 1', 'echo 2');
    expect(run.map(({ text }) => text)).toEqual(['echo 2']);
    expect(notRun.map(({ text }) => text)).toEqual(['docker ps', 'echo 1']);
    expect([...known]).toEqual(['docker']);
  });

  test.each([
    'jq . file.json',
    'value=$(jq . file.json)',
    'for i in 1 2; do pyhton $i; done',
    'node services/flags/src/main.ts',
    'FLAG=1 node --watch main.ts',
  ])('refuses the command %s', (text) => {
    expect(planOfBlocks(text).refused).toHaveLength(1);
  });

  test('takes the JSON block directly below as the response of the last command', () => {
    const sh = '```sh\ncurl -sS a\ncurl -sS b\n```\n';
    const json = '```json\n{"id":1}\n```\n';
    const shownIn = (text: string) =>
      planOf({ path: 'page.md', blocks: codeBlocks(text) }).run.map(({ shown }) => shown);
    expect(shownIn(`${sh}\n${json}`)).toEqual([undefined, { status: 200, body: '{"id":1}\n' }]);
    expect(shownIn(`${sh}\nText:\n\n${json}`)).toEqual([undefined, undefined]);
  });

  test('reads the line of a statement and the response shown below it', () => {
    const { run } = planOf({
      path: 'page.md',
      blocks: codeBlocks('1. Text\n\n   ```sh\n   a=1\n   curl -sS x # now\n   # 201 {"id":"a"}\n   ```\n'),
    });
    expect(run[1]).toMatchObject({ line: 5, shown: { status: 201, body: '{"id":"a"}' } });
  });
});

test.each<[shown: string, answer: string, expected: boolean]>([
  ['', '', true],
  ['{"id":"cnv_...","n":1}', '{"id":"cnv_12","n":7}', true],
  ['{"id":"cnv_...","n":1}', '{"id":"att_12","n":7}', false],
  ['{"id":"..."}', '{"id":"1","more":true}', false],
  ['{"id":"...", ...}', '{"id":"1","more":true}', true],
  ['{"turn":{...}}', '{"turn":{"id":1}}', true],
  ['{"flags":[...]}', '{"flags":[1]}', true],
  ['{"n":1}', '{"n":"1"}', false],
  ['{"n":[1,null]}', '{"n":[null,2]}', true],
  ['{"n":1}', '{"n":{}}', false],
  ['{"n":1}', 'no JSON', false],
])('the shown response %s matches %s: %s', (shown, answer, expected) => {
  expect(hasShape(shown, answer)).toBe(expected);
});

test('replaces only the ports of standalone', () => {
  expect(withPorts('http://127.0.0.1:4003/4003 localhost:4000 :4001 127.0.0.1:4010', 9000)).toBe(
    'http://127.0.0.1:9003/4003 localhost:9000 :4001 127.0.0.1:4010',
  );
});
