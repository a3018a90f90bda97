import kafkajs, { type GroupMember, type PartitionAssigner } from 'kafkajs';
import { assignPartitions, type Member } from './assignment.ts';

const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;
const NAME = 'switchboard-sticky';
const VERSION = 0;

type Claims = Pick<Member, 'generation' | 'owned'>;

/** Creates a sticky assigner, which kafkajs lacks. Each member reports the partitions it owns when it joins. */
export function stickyAssigner(claims: () => Claims): PartitionAssigner {
  return ({ cluster }) => ({
    name: NAME,
    version: VERSION,
    protocol({ topics }) {
      const userData = Buffer.from(JSON.stringify(claims()));
      return { name: NAME, metadata: MemberMetadata.encode({ version: VERSION, topics, userData }) };
    },
    async assign({ members, topics }) {
      const partitions = new Map(
        topics.map((topic) => [
          topic,
          cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId),
        ]),
      );
      const assigned = assignPartitions(members.map(memberOf), partitions);
      return [...assigned].map(([memberId, assignment]) => ({
        memberId,
        memberAssignment: MemberAssignment.encode({
          version: VERSION,
          assignment,
          userData: Buffer.alloc(0),
        }),
      }));
    },
  });
}

function memberOf({ memberId, memberMetadata }: GroupMember): Member {
  const metadata = MemberMetadata.decode(memberMetadata);
  return { id: memberId, topics: metadata?.topics ?? [], ...claimsOf(metadata?.userData) };
}

function claimsOf(userData: Buffer | undefined): Claims {
  try {
    const { generation, owned }: Claims = JSON.parse(String(userData));
    return { generation: Number(generation), owned: { ...owned } };
  } catch {
    return { generation: -1, owned: {} };
  }
}
