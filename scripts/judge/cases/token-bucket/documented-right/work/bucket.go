// Package limit limits how often something may happen.
package limit

import (
	"sync"
	"time"
)

// Bucket is refilled by the time that has passed. The lock protects the tokens, because Allow is
// called from many goroutines, so concurrent calls are the usual case.
type Bucket struct {
	lock      sync.Mutex
	tokens    float64
	capacity  float64
	perSecond float64
	filledAt  time.Time
}

// Allow takes a token. It returns false when the bucket is empty.
func (bucket *Bucket) Allow() bool {
	bucket.lock.Lock()
	defer bucket.lock.Unlock()
	now := time.Now()
	passed := now.Sub(bucket.filledAt).Seconds()
	// A bucket that rests for a day never has more than its capacity.
	bucket.tokens = min(bucket.capacity, bucket.tokens+passed*bucket.perSecond)
	bucket.filledAt = now
	if bucket.tokens < 1 {
		return false
	}
	bucket.tokens--
	return true
}
