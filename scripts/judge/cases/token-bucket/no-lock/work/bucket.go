package limit

import "time"

type Bucket struct {
	N, Max int
	Every  time.Duration
	Next   time.Time
}

func (b *Bucket) Allow() bool {
	for ; b.N < b.Max && time.Now().After(b.Next); b.N++ {
		b.Next = b.Next.Add(b.Every)
	}
	if b.N == 0 {
		return false
	}
	b.N--
	return true
}
