/** The project that most benches measure, and its public key. */
export const PROJECT_ID = 'bench';
export const PROJECT_KEY = `pk_eu_${'a'.repeat(32)}`;
export const AUTHORIZED = { Authorization: `Bearer ${PROJECT_KEY}` };
