/**
 * Returns the response of a handler that wrote to the Node response itself. node-server writes a response with a
 * cached state at once, without looking for this header. Reading the body drops that state.
 */
export function alreadySent(): Response {
  const response = new Response(null, { headers: { 'x-hono-already-sent': 'true' } });
  void response.body;
  return response;
}
