import { id, name } from './fields.ts';

/** Identifiers in paths and queries, each with an example for the API reference. */
const like = (example: string) => id.openapi({ example });

export const projectId = like('web-shop');
export const reportId = like('weekly-sign-ups');
export const dashboardId = like('product');
export const annotationId = like('ann_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f');
export const threadId = like('thr_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f');
export const commentId = like('cmt_018f4c1e7a2c7c3d8e4f5a6b7c8d9e0f');
export const conversationId = like('cnv_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f');
export const attachmentId = like('att_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f');
export const companyId = like('acme');
export const sub = like('sub-ada');
export const userId = like('grace');
export const tier = like('pro');
export const cycle = like('monthly');
export const modelId = like('small-2');
export const flagKey = name(200).openapi({ example: 'new-checkout' });
export const cohortId = like('beta-testers');
export const tokenId = like('tok_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f');
export const changeRequestId = like('chr_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f');
export const flagHookId = like('fhk_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f');
export const erasureId = like('ers_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f');
