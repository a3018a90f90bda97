/** Returns a response of `listMembers` with this many members, as `route.fulfill` takes it. */
export function manyMembers(count: number) {
  const members = Array.from({ length: count }, (_, at) => ({
    sub: `user_${at}`,
    name: `Member ${at}`,
    email: `member-${at}@lumen.example`,
    role: 'viewer',
    avatarUrl: null,
  }));
  return { headers: { 'Access-Control-Allow-Origin': '*' }, json: { members, nextCursor: null } };
}
