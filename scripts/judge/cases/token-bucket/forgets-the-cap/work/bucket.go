package limit

import (
	"sync"
	"time"
)

// Bucket never has more tokens than its capacity.
type Bucket struct {
	lock     sync.Mutex
	tokens   float64
	capacity float64
	rate     float64
	last     time.Time
}

// Allow takes a token. It returns false when the bucket is empty.
func (bucket *Bucket) Allow() bool {
	bucket.lock.Lock()
	defer bucket.lock.Unlock()
	// Refill by the time that has passed.
	passed := time.Since(bucket.last).Seconds()
	bucket.last = time.Now()
	bucket.tokens += passed * bucket.rate
	if bucket.tokens >= 1 {
		bucket.tokens--
		return true
	}
	return false
}
