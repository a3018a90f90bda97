/**
 * Begins a call to something outside this process. Returns a function that ends the call, with the error if it
 * failed. `subject` names the target. It is called only if the name is recorded.
 */
export type Measure = (operation: string, subject?: () => string) => EndOfCall;

export type EndOfCall = (failure?: unknown) => void;

/** Runs the work and measures it if `measure` is defined. */
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
