import { Copy, DockerfileParser, From, JSONInstruction } from 'dockerfile-ast';

/** One instruction of a Dockerfile, without its options; `list` if it is in JSON form. */
export interface Step {
  keyword: string;
  text: string;
  words: string[];
  list: string[];
  /** The stage of `COPY --from`. */
  from?: string;
}

export interface Stage {
  name: string;
  /** The image or stage in FROM. */
  base: string;
  steps: Step[];
}

/** The stages of a Dockerfile, in order. */
export function parseDockerfile(text: string): Stage[] {
  const stages: Stage[] = [];
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    if (instruction instanceof From) {
      stages.push({ name: instruction.getBuildStage() ?? '', base: instruction.getImage() ?? '', steps: [] });
      continue;
    }
    const from = instruction instanceof Copy ? instruction.getFromFlag()?.getValue() : undefined;
    stages.at(-1)?.steps.push({
      keyword: instruction.getKeyword(),
      text: instruction.getArgumentsContent() ?? '',
      words: instruction.getArguments().map((argument) => argument.getValue()),
      list:
        instruction instanceof JSONInstruction
          ? instruction.getJSONStrings().map((string) => string.getJSONValue())
          : [],
      ...(from && { from }),
    });
  }
  return stages;
}
