import { importConversationsCommand } from '../import-conversations/command.ts';
import { importEventsCommand } from '../import-events/command.ts';
import { importFlagsCommand } from '../import-flags/command.ts';
import { importModels } from '../import-models.ts';
import { readPriceList } from '../litellm/price-list.ts';
import { openClient } from '../login/session.ts';
import { describeOutcomes, outcomesAsJson, progressOn } from '../manifest/outcomes.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';

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
  summary: 'import flags, events or conversations of another product, or AI models from a price list',
  help: `${importFlagsCommand.help}
${importEventsCommand.help}
${importConversationsCommand.help}
switchboard import models <file | address | -> [options]

Reads LiteLLM's model_prices_and_context_window.json. Prices in US dollars per token become micro-dollars per million
tokens before the markup, computed exactly. A missing cache price equals the input price. An existing model keeps
its name; models that are not in the list are left alone.

  --provider <p>   only models of this litellm_provider; repeat or separate with commas
  --only <name>    only models with this name, * matches anything; repeat or separate with commas
  --mode <m>       only models of this mode (default: chat, responses and completion)
  --all            the whole list; one of --provider, --only and --all is required
  --dry-run        print the changes without making them
${COMMON_HELP}
`,
  async run(args, terminal) {
    if (args[0] === 'flags') return importFlagsCommand.run(args, terminal);
    if (args[0] === 'events') return importEventsCommand.run(args, terminal);
    if (args[0] === 'conversations') return importConversationsCommand.run(args, terminal);
    const { values, positionals } = readArguments(args, filters);
    const [what, place, ...rest] = positionals;
    if (what !== 'models' || place === undefined || rest.length > 0) {
      throw new UsageError(
        'usage: switchboard import models <file | address | ->, or switchboard import flags, events or conversations',
      );
    }
    const [providers, only, modes] = [listOf(values.provider), listOf(values.only), listOf(values.mode)];
    if (providers.length === 0 && only.length === 0 && !values.all) {
      throw new UsageError(
        'a price list has thousands of models: choose some with --provider or --only, or give --all',
      );
    }
    const client = openClient(values, terminal);
    const source = await terminal.read(place);
    const list = readPriceList(source, { providers, only, ...(modes.length > 0 ? { modes } : {}) });
    for (const { id, reason } of list.skipped) terminal.err(`switchboard: skipped ${id}: ${reason}\n`);
    if (list.models.length === 0)
      throw new UsageError('no model matches; check --provider, --only and --mode');
    const progress = progressOn(terminal);
    const dryRun = values['dry-run'] ?? false;
    const outcomes = await importModels(list.models, { client, dryRun, onOutcome: progress.show }).finally(
      progress.end,
    );
    terminal.out(
      values.json ? outcomesAsJson(outcomes) : describeOutcomes(outcomes, dryRun ? 'would' : 'done'),
    );
    return EXIT_CODES.done;
  },
};
