/**
 * Returns the limits of requests, by minute if the name states no other time. Limits per address allow for many people
 * behind one address, such as an office or a mobile network. RATE_LIMITS_MULTIPLIER multiplies all of them.
 */
export function limitsTimes(multiplier: number) {
  const limit = (value: number) => value * multiplier;
  return {
    opensPerAddress: limit(30),
    opensPerProject: limit(600),
    ownListsPerAddress: limit(120),
    ownListsPerProject: limit(6_000),
    turnsPerConversation: limit(60),
    turnsPerAddress: limit(2_000),
    turnsPerProject: limit(30_000),
    readsPerConversation: limit(120),
    readsPerAddress: limit(3_000),
    readsPerProject: limit(60_000),
    /** Bytes of turns that visitors read, averaged over two seconds. A 304 counts none. */
    readBytesPerAddressPerSecond: limit(2_000_000),
    readBytesPerProjectPerSecond: limit(5_000_000),
    subscriptionsPerAddress: limit(3_000),
    messageRequestsPerAddress: limit(3_000),
    messageReadsPerProject: limit(30_000),
    helpCentreRefreshesPerCompany: limit(10),
    searchesPerMember: limit(60),
    /** The time that searches of a project take of PostgreSQL, in seconds. */
    searchSecondsPerProjectPerSecond: limit(0.5),
    reportsPerMember: limit(30),
    presencePerMember: limit(240),
    mailsPerConversationPerHour: limit(30),
    mailOpensPerSenderPerHour: limit(20),
    mailOpensPerProject: limit(600),
    mailBytesPerSenderPerSecond: limit(500_000),
    /** A millisecond of reading on the thread counts as 5,000 bytes. */
    mailBytesPerProjectPerSecond: limit(1_000_000),
    ratingsPerConversation: limit(30),
    ratingsPerAddress: limit(3_000),
    unsubscribesPerAddress: limit(60),
    uploadsPerConversation: limit(10),
    uploadsPerConversationPerHour: limit(60),
    uploadsPerAddress: limit(30),
    downloadsPerAddress: limit(3_000),
  };
}

export type Limits = ReturnType<typeof limitsTimes>;
