import { ENTERPRISE_SCHEMA, GROUP_SCHEMA, USER_SCHEMA } from './resources.ts';

const attribute = (name: string, more: object = {}) => ({
  name,
  type: 'string',
  multiValued: false,
  description: '',
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
});

const schemas = [
  {
    id: USER_SCHEMA,
    name: 'User',
    attributes: [
      attribute('userName', { required: true, uniqueness: 'server' }),
      attribute('name', {
        type: 'complex',
        subAttributes: [attribute('formatted'), attribute('givenName'), attribute('familyName')],
      }),
      attribute('displayName'),
      attribute('active', { type: 'boolean' }),
      attribute('emails', {
        type: 'complex',
        multiValued: true,
        subAttributes: [attribute('value'), attribute('type'), attribute('primary', { type: 'boolean' })],
      }),
      attribute('groups', {
        type: 'complex',
        multiValued: true,
        mutability: 'readOnly',
        subAttributes: [attribute('value'), attribute('display')],
      }),
    ],
  },
  {
    id: GROUP_SCHEMA,
    name: 'Group',
    attributes: [
      attribute('displayName', { required: true, uniqueness: 'server' }),
      attribute('members', {
        type: 'complex',
        multiValued: true,
        subAttributes: [attribute('value'), attribute('display', { mutability: 'readOnly' })],
      }),
    ],
  },
  {
    id: ENTERPRISE_SCHEMA,
    name: 'EnterpriseUser',
    attributes: ['employeeNumber', 'costCenter', 'organization', 'division', 'department', 'manager'].map(
      (name) => attribute(name),
    ),
  },
];

/** The documents by which a client discovers the service (RFC 7643, sections 5 to 7), by path. */
export function discovery(baseUrl: string): {
  config: object;
  schemas: { id: string }[];
  resourceTypes: { id: string }[];
} {
  const meta = (resourceType: string, path: string) => ({ resourceType, location: `${baseUrl}/${path}` });
  const supported = (is: boolean) => ({ supported: is });
  return {
    config: {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      patch: supported(true),
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: 200 },
      changePassword: supported(false),
      sort: supported(false),
      etag: supported(false),
      authenticationSchemes: [
        { type: 'oauthbearertoken', name: 'Bearer token', description: 'A token of the company.' },
      ],
      meta: meta('ServiceProviderConfig', 'ServiceProviderConfig'),
    },
    schemas: schemas.map((schema) => ({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
      ...schema,
      meta: meta('Schema', `Schemas/${schema.id}`),
    })),
    resourceTypes: [
      {
        id: 'User',
        endpoint: '/Users',
        schema: USER_SCHEMA,
        schemaExtensions: [{ schema: ENTERPRISE_SCHEMA, required: false }],
      },
      { id: 'Group', endpoint: '/Groups', schema: GROUP_SCHEMA },
    ].map((type) => ({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
      name: type.id,
      ...type,
      meta: meta('ResourceType', `ResourceTypes/${type.id}`),
    })),
  };
}
