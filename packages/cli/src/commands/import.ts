import { importModels } from '../import-models.ts';
import { readPriceList } from '../litellm/price-list.ts';
import { type Command, commonHelp, exitCodes } from './command.ts';
import { describeOutcomes, outcomesAsJson } from './outcomes.ts';
import { openClient, progressOn, readArguments } from './session.ts';
import { UsageError } from './terminal.ts';

const filters = {
  provider: { type: 'string', multiple: true },
  only: { type: 'string', multiple: true },
  mode: { type: 'string', multiple: true },
  all: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
} as const;

const listOf = (given: string[] | undefined) =>
  (given ?? []).flatMap((text) => text.split(',')).map((text) => text.trim());

export const imports: Command = {
  summary: 'write AI models and their prices from a price list',
  help: `switchboard import models <file | address | -> [options]

Reads the format of LiteLLM's model_prices_and_context_window.json: US dollars per token become micro-dollars per
million tokens, computed on decimal digits, before the markup. A price that the list lacks for the cache is the one
for input. A model that is there keeps its name; models that the list lacks are left alone.

  --provider <p>   only models of this litellm_provider; again, or with commas, for several
  --only <name>    only models of this name, where * stands for anything; again, or with commas, for several
  --mode <m>       only models of this mode (chat, responses and completion when not given)
  --all            the whole list: one of --provider, --only and --all is needed
  --dry-run        say what would change and change nothing
${commonHelp}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, filters);
    const [what, place, ...rest] = positionals;
    if (what !== 'models' || place === undefined || rest.length > 0) {
      throw new UsageError('it is: switchboard import models <file, address or ->');
    }
    const [providers, only, modes] = [listOf(values.provider), listOf(values.only), listOf(values.mode)];
    if (providers.length === 0 && only.length === 0 && !values.all) {
      throw new UsageError(
        'a price list has thousands of models: choose with --provider or --only, or say --all',
      );
    }
    const client = openClient(values, terminal);
    const source = await terminal.read(place);
    const list = readPriceList(source, { providers, only, ...(modes.length > 0 ? { modes } : {}) });
    for (const { id, reason } of list.skipped) terminal.err(`switchboard: skipped ${id}: ${reason}\n`);
    if (list.models.length === 0)
      throw new UsageError('no model of the list is wanted; see --provider and --only');
    const progress = progressOn(terminal);
    const dryRun = values['dry-run'] ?? false;
    const outcomes = await importModels(list.models, { client, dryRun, onOutcome: progress.show }).finally(
      progress.end,
    );
    terminal.out(
      values.json ? outcomesAsJson(outcomes) : describeOutcomes(outcomes, dryRun ? 'would' : 'done'),
    );
    return exitCodes.done;
  },
};
