/**
 * Begins a call of something outside this process. What it returns ends the call, with what failed if it failed.
 * `subject` names what is called; it is asked only where that is recorded.
 */
export type Measure = (operation: string, subject?: () => string) => EndOfCall;

export type EndOfCall = (failure?: unknown) => void;

/** The work, measured if there is something that measures. */
export async function measured<T>(
  measure: Measure | undefined,
  operation: string,
  work: () => Promise<T>,
): Promise<T> {
  const end = measure?.(operation);
  try {
    const result = await work();
    end?.();
    return result;
  } catch (error) {
    end?.(error);
    throw error;
  }
}
